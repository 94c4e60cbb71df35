package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGettingStarted runs the commands of docs/getting-started.md in their order, with the file that it shows.
func TestGettingStarted(t *testing.T) {
	text, err := os.ReadFile("../../docs/getting-started.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "```csv\n")
	table, _, ok := strings.Cut(after, "```")
	if !ok {
		t.Fatal("the guide has no table")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("flowers.csv", []byte(table), 0o666); err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(string(text)) {
		if args, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    dl4go "); ok {
			dl4go(t, strings.Fields(args)...)
			commands++
		}
	}
	if commands < 10 {
		t.Errorf("the guide has %d commands", commands)
	}
	for name, text := range map[string]string{"kinds.jsonl": `"class":`, "digits.csv": ",", "run.html": "<svg", "best.zip": "PK"} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), text) {
			t.Errorf("%s has no %s: %v", name, text, err)
		}
	}
}
