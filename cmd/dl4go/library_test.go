package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	library "github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/internal/manual"
)

// TestFlagsInGo: docs/library.md says for each flag of dl4go train what a Go program sets, and has no other flags.
// Settings of data are part of the data's name.
func TestFlagsInGo(t *testing.T) {
	text, err := os.ReadFile("../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "## The flags of dl4go train in Go")
	told := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.Contains(cells[1], "settings of data") {
			continue
		}
		for _, name := range regexp.MustCompile("`--([a-z0-9-]+)`").FindAllStringSubmatch(cells[1], -1) {
			if told[name[1]] {
				t.Errorf("--%s has two rows", name[1])
			}
			told[name[1]] = true
		}
	}
	settings := dataFlagNames(func(bool) bool { return true })
	trainCommand().Flags().VisitAll(func(f *pflag.Flag) {
		if !told[f.Name] && !slices.Contains(settings, f.Name) && f.Name != "help" && f.Name != manual.All {
			t.Errorf("docs/library.md does not say what --%s is in Go", f.Name)
		}
		delete(told, f.Name)
	})
	for name := range told {
		t.Errorf("docs/library.md has --%s, which dl4go train does not have", name)
	}
}

// TestLibraryTrainsAlike: the library makes the model file of dl4go train, to the byte, of the same settings.
func TestLibraryTrainsAlike(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"species", "year&regression=true"} {
		dir, spec := t.TempDir(), "csv:"+penguins+"?label="+label
		commands, ours := filepath.Join(dir, "command.zip"), filepath.Join(dir, "library.zip")
		dl4go(t, "train", "--data", spec, "--split", "0.8", "--epochs", "2", "--training", "plain", "--save", commands)
		p, err := library.Prepare(t.Context(), spec, library.Columns{Split: "0.8"})
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		m, err := library.Train(t.Context(), library.Config{Prepared: p, Epochs: 2, Save: ours})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		want, err := os.ReadFile(commands)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(ours); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: other files: %d and %d bytes, %v", label, len(got), len(want), err)
		}
	}
}
