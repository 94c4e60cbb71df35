package arguments

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/usage"
)

func command() *cobra.Command {
	cmd := &cobra.Command{Use: "dl4go", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().Int("batch", 16, "")
	cmd.Flags().Int("threads", 0, "")
	cmd.Flags().String("model", "", "")
	cmd.Flags().StringSlice("names", nil, "")
	cmd.AddCommand(&cobra.Command{Use: "train", Run: func(*cobra.Command, []string) {}})
	return cmd
}

// TestRefused: each check refuses what it is for, as a mistake in the command line.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args  []string
		check func(*cobra.Command) error
		want  string
	}{
		{[]string{"--batch", "0"}, func(c *cobra.Command) error { return Positive(c, "batch") }, "--batch 0: it must be"},
		{[]string{"--threads", "9999999"}, func(c *cobra.Command) error { return Positive(c, "threads") }, "there may be"},
		{nil, func(c *cobra.Command) error { return Required(c, "model") }, "--model is needed: dl4go --help"},
		{[]string{"--model", ""}, func(c *cobra.Command) error { return NoEmptyFlags(c, nil) }, "--model is given, but"},
		{[]string{"--names", ""}, func(c *cobra.Command) error { return NoEmptyFlags(c, nil) }, "--names is given, but"},
		{nil, func(c *cobra.Command) error { return KnownCommand(c, []string{"trian"}) }, `unknown command "trian"`},
		{nil, func(c *cobra.Command) error { return NoArguments(c, []string{"x"}) }, `flags only, got "x"`},
		{nil, func(c *cobra.Command) error { return AtMostOne(c, []string{"x", "y"}) }, "one name, got 2"},
	} {
		cmd := command()
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		err := c.check(cmd)
		if wrong := (*usage.Error)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is not in the error %v", c.want, err)
		}
	}
}

// TestAccepted: the checks accept flags that are right, or not given.
func TestAccepted(t *testing.T) {
	cmd := command()
	if err := cmd.ParseFlags([]string{"--model", "m"}); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(Positive(cmd, "batch", "threads"), Required(cmd, "model"), NoEmptyFlags(cmd, nil),
		KnownCommand(cmd, nil), NoArguments(cmd, nil), AtMostOne(cmd, []string{"x"}))
	if err != nil {
		t.Error(err)
	}
}

// TestFlagError: an unknown flag gets a suggestion, and a wrong number the flag's name.
func TestFlagError(t *testing.T) {
	for arg, want := range map[string]string{"--batsh": "--batch", "--batch=x": `--batch "x": a whole number should be here`} {
		cmd := command()
		err := FlagError(cmd, cmd.ParseFlags([]string{arg}))
		if !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "; dl4go --help lists the flags") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

// TestJoined: a flag that may stand alone takes a value that follows it.
func TestJoined(t *testing.T) {
	root := &cobra.Command{Use: "dl4go"}
	run := func(*cobra.Command, []string) {}
	train := &cobra.Command{Use: "train", Args: NoArguments, Run: run}
	train.Flags().String("ui", "", "")
	train.Flags().Lookup("ui").NoOptDefVal = "here"
	train.Flags().Bool("json", false, "")
	train.Flags().String("model", "", "")
	report := &cobra.Command{Use: "report", Args: cobra.MaximumNArgs(1), Run: run}
	report.Flags().AddFlagSet(train.Flags())
	root.AddCommand(train, report)
	for text, want := range map[string]string{
		"train --ui host:1 --json":    "train --ui=host:1 --json",
		"train --model m --ui --json": "train --model m --ui --json",
		"train --ui=host:1 x":         "train --ui=host:1 x",
		"train --json x --ui":         "train --json x --ui",
		"train -- --ui host:1":        "train -- --ui host:1",
		"report --ui run.json":        "report --ui run.json",
		"other --ui x":                "other --ui x",
	} {
		if got := strings.Join(Joined(root, strings.Fields(text)), " "); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}
