package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// notOnCluster has what is tried otherwise: coordinator.txtar gives the flag on processes[2], and
// residents_spark_test.go of distributed/sharing has a coordinator on Spark.
var notOnCluster = map[string]bool{"train --coordinator": true}

// TestClusterCommands: each command of the pages that needs a cluster is given to one by a script or a test, with the
// same flags, each of them perhaps in another one. TestPagesURLsOnSpark runs those of storage.md as they are.
func TestClusterCommands(t *testing.T) {
	tried := map[string]bool{} // command and flag
	scripts, err := filepath.Glob("testdata/*spark*/*.txtar")
	more, _ := filepath.Glob("testdata/[qs]*/*.txtar")
	if scripts = append(scripts, more...); err != nil || len(scripts) < 8 {
		t.Fatalf("%v, %v", scripts, err)
	}
	tests, err := filepath.Glob("*_spark_test.go")
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`--[a-z][a-z-]*`)
	for _, file := range scripts {
		for line := range strings.Lines(fileText(t, file)) {
			_, command, is := strings.Cut(line, "dl4go ")
			if !is || strings.HasPrefix(line, "#") || !strings.Contains(line, "--master $SPARK") {
				continue
			}
			for _, f := range flag.FindAllString(line, -1) {
				tried[strings.Fields(command)[0]+" "+f] = true
			}
		}
	}
	for _, file := range tests {
		text := fileText(t, file)
		for _, name := range regexp.MustCompile(`"[a-z]+"`).FindAllString(text, -1) {
			for _, f := range flag.FindAllString(text, -1) {
				tried[strings.Trim(name, `"`)+" "+f] = true
			}
		}
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for _, page := range append(pages, "../../README.md") {
		for _, args := range pageCommands(fileText(t, page)) {
			if !slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "sc://") }) {
				continue
			}
			commands++
			for _, arg := range args[1:] {
				f := args[0] + " " + flag.FindString(arg)
				if strings.HasPrefix(arg, "--") && !tried[f] && !notOnCluster[f] {
					t.Errorf("%s: dl4go %s is in no script that runs on a cluster", filepath.Base(page), f)
				}
			}
		}
	}
	if commands < 10 {
		t.Errorf("%d commands", commands)
	}
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
