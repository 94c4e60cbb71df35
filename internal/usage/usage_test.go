package usage

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func command() *cobra.Command {
	cmd := &cobra.Command{Use: "dl4go", Run: func(*cobra.Command, []string) {}}
	cmd.Flags().Int("batch", 16, "")
	cmd.Flags().Int("threads", 0, "")
	cmd.Flags().String("model", "", "")
	cmd.Flags().StringSlice("names", nil, "")
	n := 5
	cmd.Flags().Var(&Auto{N: &n}, "frequency", "")
	cmd.AddCommand(&cobra.Command{Use: "train", Run: func(*cobra.Command, []string) {}})
	return cmd
}

// TestMistakes: each check refuses what it is for, as a mistake in the command line.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		args  []string
		check func(*cobra.Command) error
		want  string
	}{
		{nil, func(*cobra.Command) error { _, err := Choose("mode", "apend", "append", "error"); return err },
			`--mode "apend": it is one of append, error; did you mean append?`},
		{[]string{"--batch", "0"}, func(c *cobra.Command) error { return Positive(c, "batch") }, "--batch 0: it must be"},
		{[]string{"--threads", "9999999"}, func(c *cobra.Command) error { return Positive(c, "threads") }, "there may be"},
		{nil, func(c *cobra.Command) error { return Required(c, "model") }, "--model is needed: dl4go --help"},
		{[]string{"--model", ""}, func(c *cobra.Command) error { return NoEmptyFlags(c, nil) }, "--model is given, but"},
		{[]string{"--names", ""}, func(c *cobra.Command) error { return NoEmptyFlags(c, nil) }, "--names is given, but"},
		{nil, func(c *cobra.Command) error { return KnownCommand(c, []string{"trian"}) }, `unknown command "trian"`},
		{nil, func(c *cobra.Command) error { return NoArguments(c, []string{"x"}) }, `flags only, got "x"`},
		{nil, func(c *cobra.Command) error { return AtMostOne(c, []string{"x", "y"}) }, "one name, got 2"},
		{[]string{"--batch", "1", "--model", "m"},
			func(c *cobra.Command) error { return Apart(c.Flags().Changed, "batch", "names", "model") },
			"--batch and --model can't be given together"},
		{[]string{"--batch", "1"}, func(c *cobra.Command) error { return GoesWith(c.Flags().Changed, "--model M", "batch") },
			"--batch goes with --model M"},
		{[]string{"--batch", "1"},
			func(c *cobra.Command) error {
				return NoEffect(c.Flags().Changed, "workers", "--training plain", "batch")
			},
			"--batch is about workers: it has no effect with --training plain"},
	} {
		cmd := command()
		if err := cmd.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		err := c.check(cmd)
		if wrong := (*Error)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q is not in the error %v", c.want, err)
		}
	}
}

// TestAccepted: the checks accept flags that are right, or not given.
func TestAccepted(t *testing.T) {
	cmd := command()
	if err := cmd.ParseFlags([]string{"--model", "m", "--frequency", "auto"}); err != nil {
		t.Fatal(err)
	}
	given := cmd.Flags().Changed
	err := errors.Join(Positive(cmd, "batch", "threads"), Required(cmd, "model"), NoEmptyFlags(cmd, nil),
		KnownCommand(cmd, nil), NoArguments(cmd, nil), AtMostOne(cmd, []string{"x"}), Apart(given, "batch", "model"),
		GoesWith(given, "--model", "batch"), NoEffect(given, "workers", "--training plain", "batch"))
	if err != nil {
		t.Error(err)
	}
	if mode, err := Choose("mode", "APPEND", "append", "error"); err != nil || mode != "append" {
		t.Errorf("%q, %v", mode, err)
	}
}

// TestAuto: a number from 1 on is stored, auto leaves it as it is, and others are refused.
func TestAuto(t *testing.T) {
	n := 5
	f := &Auto{N: &n}
	if err := f.Set("auto"); err != nil || !f.Auto || n != 5 || f.String() != "auto" {
		t.Errorf("auto: %v, %+v", err, f)
	}
	if err := f.Set("7"); err != nil || f.Auto || n != 7 || f.String() != "7" {
		t.Errorf("7: %v, %+v", err, f)
	}
	for _, text := range []string{"0", "-1", "x", ""} {
		if f.Set(text) == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

// TestFlagError: an unknown flag gets a suggestion, and a wrong number the flag's name.
func TestFlagError(t *testing.T) {
	for arg, want := range map[string]string{"--batsh": "--batch", "--batch=x": `--batch "x": invalid syntax`} {
		cmd := command()
		err := FlagError(cmd, cmd.ParseFlags([]string{arg}))
		if !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), "; dl4go --help lists the flags") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}
