package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var root = filepath.Join("..", "..")

// TestTableIsCurrent: the page agrees with the results.
func TestTableIsCurrent(t *testing.T) {
	kept, err := read(filepath.Join(root, resultsFile))
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, tableFile))
	if err != nil || string(page) != table(kept) {
		t.Errorf("%s is not current (%v): go run ./internal/reliability", tableFile, err)
	}
}

// TestPromisesNameTests: each test of a promise exists, and each fuzz target belongs to one.
func TestPromisesNameTests(t *testing.T) {
	there := map[string]bool{}
	functions := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(d.Name(), ".") && path != root {
			return errOr(err, filepath.SkipDir)
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		dir, err := filepath.Rel(root, filepath.Dir(path))
		for _, f := range functions.FindAllSubmatch(text, -1) {
			there[filepath.ToSlash(dir)+"."+string(f[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, p := range promises {
		for _, test := range p.tests {
			if named = append(named, test); !there[test] {
				t.Errorf("there is no test %s", test)
			}
		}
	}
	for test := range there {
		if strings.Contains(test, ".Fuzz") && !slices.Contains(named, test) {
			t.Errorf("no promise names %s", test)
		}
	}
}

func errOr(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// TestUpdate: the last result of a test counts, and a result that no promise names is an error.
func TestUpdate(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(resultsFile, `{"test":"nn.TestMutatedModels","runs":5,"day":"2026-01-02"}`+"\n")
	results := write("results", `{"test":"nn.TestMutatedModels","runs":100000,"day":"2026-02-03"}
{"test":"data.TestMutatedDataSets","runs":2000000,"failed":true,"day":"2026-02-01"}
`)
	for range 2 {
		if err := update(dir, []string{results}); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(filepath.Join(dir, tableFile))
	if err != nil || !bytes.Contains(page, []byte("| 2,100,000 files (2 of 15 tests) | 2026-02-01 to 2026-02-03 | 1 |")) ||
		!bytes.Contains(page, []byte("| data.TestMutatedDataSets | 2,000,000 | 2026-02-01 | yes |")) {
		t.Errorf("%v:\n%s", err, page)
	}
	if err := update(dir, []string{write("other", `{"test":"nn.TestOther"}`)}); err == nil ||
		!strings.Contains(err.Error(), "TestOther") {
		t.Errorf("an unknown test gives %v", err)
	}
}
