package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/manual"
)

// screens is the maximum length of a command's help: two screens of 30 lines.
const screens = 60

// widest is the maximum number of columns of --help-all.
const widest = 120

// TestHelp: --help fits on two screens of 80 columns, --help-all in 120 columns. It shows every flag once, and each
// flag has one line.
func TestHelp(t *testing.T) {
	root := rootCommand()
	for _, cmd := range append(root.Commands(), root) {
		if cmd.Name() == "help" {
			continue
		}
		var short, long bytes.Buffer
		explain(cmd)
		help(&short, cmd, false)
		help(&long, cmd, true)
		n := strings.Count(short.String(), "\n") - strings.Count(short.String(), "ramp: ") // a kind of the tests
		if n > screens {
			t.Errorf("%s --help has %d lines", cmd.CommandPath(), n)
		}
		for line := range strings.Lines(short.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 90 || n > 80 && strings.HasPrefix(line, "  -") {
				t.Errorf("%s --help has %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		for line := range strings.Lines(long.String()) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > widest {
				t.Errorf("%s --help-all has %d columns: %s", cmd.CommandPath(), n, line)
			}
		}
		all := func(fs *pflag.FlagSet) {
			fs.VisitAll(func(f *pflag.Flag) {
				if n := strings.Count(long.String(), "\n"+manual.FlagLine(f)+"\n"); n != 1 {
					t.Errorf("%s --help-all has --%s %d times", cmd.CommandPath(), f.Name, n)
				}
				if line := manual.FlagLine(f); len(line) > manual.TextColumn && strings.TrimSpace(line[manual.TextColumn:]) == "" {
					t.Errorf("--%s has no text", f.Name)
				}
			})
		}
		all(cmd.Flags())
		all(cmd.InheritedFlags())
	}
}

// TestCompletion: a shell suggests the values of flags with few values.
func TestCompletion(t *testing.T) {
	for command, want := range map[string]string{
		"train --training ":  "sharing",
		"train --model ":     "lenet",
		"evaluate --types ":  "roc-multiclass",
		"train --kernel ":    "portable",
		"evaluate --kernel ": "portable",
		"train --delimiter ": "tab",
	} {
		root := rootCommand(append([]string{cobra.ShellCompRequestCmd}, strings.Split(command, " ")...)...)
		var out bytes.Buffer
		root.SetOut(&out)
		if err := root.Execute(); err != nil || !strings.Contains(out.String(), want+"\n") {
			t.Errorf("%q offers %q: %v", command, out.String(), err)
		}
	}
}

// TestVersion: the program says what it is.
func TestVersion(t *testing.T) {
	out := dl4go(t, "--version")
	for _, want := range []string{"dl4go ", "commit ", "go1.", "kernels portable"} {
		if !strings.Contains(out, want) {
			t.Errorf("--version has no %q: %s", want, out)
		}
	}
}
