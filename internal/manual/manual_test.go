package manual

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

const headings = `# A comment.
Training (train), How it runs
  epochs batch
  rare: iterations
Results
  save
  rare: metrics
  rare: force
  shown by: predict
`

// TestSections: headings, flags, rare flags and commands are read from lines.
func TestSections(t *testing.T) {
	all, err := Sections(headings)
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if s := all[0]; s.Title != "Training" || s.Here != "train" || s.Elsewhere != "How it runs" ||
		!slices.Equal(s.Flags, []string{"epochs", "batch"}) || !slices.Equal(s.Rare, []string{"iterations"}) {
		t.Errorf("%+v", s)
	}
	if s := all[1]; s.Title != "Results" || s.Elsewhere != "" || !slices.Equal(s.Rare, []string{"metrics", "force"}) ||
		!slices.Equal(s.ShownBy, []string{"predict"}) {
		t.Errorf("%+v", s)
	}
	if _, err := Sections("# Nothing\n  flags"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("flags without a heading: %v", err)
	}
}

// TestWrite: rare flags are only shown with all, or by the commands that show them. A heading without flags is left
// out.
func TestWrite(t *testing.T) {
	sections, err := Sections(headings)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, all bool) string {
		cmd := &cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}}
		cmd.Flags().Int("batch", 16, "`N` minibatch size")
		cmd.Flags().Int("iterations", 0, "`N` minibatches")
		cmd.Flags().Bool("force", false, "overwrite the file")
		Explain(cmd, "Purpose.\n\n--help-all\n\nMore.\n")
		var b strings.Builder
		Write(&b, cmd, sections, all)
		return b.String()
	}
	for _, c := range []struct {
		name    string
		all     bool
		has     []string
		lacking []string
	}{
		{"train", false, []string{"Purpose.", "Training:\n  --batch N                  minibatch size (default 16)\n",
			"and has 2 further flags"}, []string{"More.", "--iterations", "Results"}},
		{"train", true, []string{"More.", "--iterations", "Results:\n  --force                    overwrite the file\n"},
			[]string{"further"}},
		{"predict", false, []string{"How it runs:", "--force", "and has 1 further flag."}, []string{"--iterations"}},
	} {
		text := write(c.name, c.all)
		for _, want := range c.has {
			if !strings.Contains(text, want) {
				t.Errorf("%s, all %v, lacks %q:\n%s", c.name, c.all, want, text)
			}
		}
		for _, other := range c.lacking {
			if strings.Contains(text, other) {
				t.Errorf("%s, all %v, has %q:\n%s", c.name, c.all, other, text)
			}
		}
	}
}

// TestTakeAll: --help-all becomes --help, unless it is an argument after --.
func TestTakeAll(t *testing.T) {
	given := []string{"train", "--help-all"}
	if args, all := TakeAll(given); !all || !slices.Equal(args, []string{"train", "--help"}) || given[1] != "--help-all" {
		t.Errorf("%v becomes %v, %v", given, args, all)
	}
	if args, all := TakeAll([]string{"--", "--help-all"}); all || args[1] != "--help-all" {
		t.Errorf("got %v, %v", args, all)
	}
}
