// Command reliability writes docs/reliability.md: what dl4go promises, and how often that was tested. `make fuzz` and
// `make campaign` call it with the results of their tests (see campaign.Record), which it keeps in
// docs/reliability.json:
//
//	go run ./internal/reliability [FILE]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/internal/campaign"
)

// The files, from the module's root.
const (
	resultsFile = "docs/reliability.json"
	tableFile   = "docs/reliability.md"
)

func main() {
	if err := update(".", os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reliability:", err)
		os.Exit(1)
	}
}

// update adds the results in files to those that are stored below the root, and writes the table.
func update(root string, files []string) error {
	kept, err := read(filepath.Join(root, resultsFile))
	if err != nil {
		return err
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		err = add(kept, f)
		f.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		line, err := json.Marshal(kept[name])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if err := os.WriteFile(filepath.Join(root, resultsFile), b.Bytes(), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, tableFile), []byte(table(kept)), 0o666)
}

// read returns the results of a file by test.
func read(file string) (map[string]campaign.Result, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	kept := map[string]campaign.Result{}
	if err := add(kept, f); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return kept, nil
}

// add adds results; the last result of each test counts.
func add(kept map[string]campaign.Result, lines io.Reader) error {
	known := map[string]bool{}
	for _, p := range promises {
		for _, test := range p.tests {
			known[test] = true
		}
	}
	for s := bufio.NewScanner(lines); s.Scan(); {
		var r campaign.Result
		if err := json.Unmarshal(s.Bytes(), &r); err != nil {
			return fmt.Errorf("%q is not a result: %w", s.Text(), err)
		}
		if !known[r.Test] {
			return fmt.Errorf("no promise in internal/reliability/promises.go names the test %s: add it there", r.Test)
		}
		kept[r.Test] = r
	}
	return nil
}

// table returns the text of docs/reliability.md.
func table(kept map[string]campaign.Result) string {
	var b strings.Builder
	b.WriteString(`# Reliability

This page lists what dl4go promises, how each promise is tested, and how often the tests ran. ` + "`make fuzz` and `make campaign`" + `
write it from docs/reliability.json, where they keep the last run of each test. "11 of 13 tests" means that the other two have
no recorded run. [defects.md](defects.md) lists all defects that were found, each with the test that fails without its fix. A
number in brackets is its number there.

| promise | how it is tested | runs | when | failed | found and mended |
| --- | --- | --- | --- | --- | --- |
`)
	for _, p := range promises {
		runs, days, failed, missing := int64(0), []string{}, 0, 0
		for _, test := range p.tests {
			r, ok := kept[test]
			if !ok {
				missing++
				continue
			}
			if runs += r.Runs; r.Failed {
				failed++
			}
			days = append(days, r.Day)
		}
		slices.Sort(days)
		days = slices.Compact(days)
		count, when := fmt.Sprintf("%s %s", grouped(runs), p.unit), "not yet"
		switch {
		case missing == len(p.tests):
			count = ""
		case missing > 0:
			count += fmt.Sprintf(" (%d of %d tests)", len(p.tests)-missing, len(p.tests))
		}
		switch len(days) {
		case 0:
		case 1:
			when = days[0]
		default:
			when = days[0] + " to " + days[len(days)-1]
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %d | %s |\n", p.text, p.how, count, when, failed, p.found)
	}
	b.WriteString("\n## The last run of each test\n\n| test | runs | when | failed |\n| --- | --- | --- | --- |\n")
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		r := kept[name]
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, grouped(r.Runs), r.Day,
			map[bool]string{true: "yes", false: "no"}[r.Failed])
	}
	return b.String()
}

// grouped formats a number with commas between groups of three digits.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
