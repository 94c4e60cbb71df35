package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// otherFlags are flags of Spark's own programs, and of tools for containers.
var otherFlags = []string{"--class", "--conf", "--cores", "--executor-cores", "--executor-memory", "--host", "--jars",
	"--keytab", "--master", "--memory", "--num-executors", "--packages", "--port", "--principal",
	"--all", "--read-only", "--tmpfs"}

// TestGuideFlags: each flag in a guide is another program's, or is in dl4go's help.
func TestGuideFlags(t *testing.T) {
	_, list, _ := strings.Cut(dl4go(t, "--help"), "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	known := append(slices.Clone(otherFlags), "--version")
	var commands []string
	flagNames := regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)
	for line := range strings.Lines(list) {
		command := strings.Fields(line)[0]
		commands = append(commands, command)
		known = append(known, flagNames.FindAllString(dl4go(t, command, "--help-all"), -1)...)
	}
	guides, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, guide := range append(guides, "../../README.md") {
		if slices.Contains([]string{"defects.md", "reliability.md", "simulation.md", "spark-notes.md"},
			filepath.Base(guide)) {
			continue // they have commands of other programs, and old ones
		}
		b, err := os.ReadFile(guide)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for _, flag := range flagNames.FindAllString(text, -1) {
			if !slices.Contains(known, flag) {
				t.Errorf("%s names %s, which no help of dl4go does", guide, flag)
			}
		}
		for _, m := range regexp.MustCompile("(?m)(?:`|^    )dl4go ([a-z]+)").FindAllStringSubmatch(text, -1) {
			if !slices.Contains(commands, m[1]) {
				t.Errorf("%s has dl4go %s; there is %v", guide, m[1], commands)
			}
		}
	}
}
