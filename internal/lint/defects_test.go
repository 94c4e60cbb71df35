package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDefectsHaveTests: every test, script and file that docs/defects.md names exists. A name without a file is in the
// file before it.
func TestDefectsHaveTests(t *testing.T) {
	rows, names := 0, 0
	for line := range strings.Lines(read(t, "../../docs/defects.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 6 || strings.TrimSpace(cells[1]) == "#" || strings.HasPrefix(cells[1], " ---") {
			continue
		}
		rows++
		file := ""
		for _, name := range strings.Split(cells[len(cells)-2], ",") {
			name = strings.TrimSpace(strings.Split(name, ";")[0])
			if before, after, ok := strings.Cut(name, ": "); ok && strings.HasPrefix(before, "`") {
				name = after // a command, and the file that it runs
			}
			if match := namedFile.FindStringSubmatch(name); match != nil {
				file, name = match[1], match[2]
				if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
					t.Errorf("%.40s…: there is no %s", line, file)
					file = ""
				}
			}
			if name, _, _ = strings.Cut(name, "/"); !strings.HasPrefix(name, "Test") || !strings.HasSuffix(file, ".go") {
				continue
			}
			names++
			if !strings.Contains(read(t, filepath.Join("../..", file)), "\nfunc "+name+"(") {
				t.Errorf("%.40s…: %s has no %s", line, file, name)
			}
		}
	}
	if rows < 46 || names < rows {
		t.Errorf("%d rows name %d tests", rows, names)
	}
}

// namedFile matches a file of tests, and what is named in it.
var namedFile = regexp.MustCompile(`^([\w./-]+\.(?:go|txtar|md))(?::(.*))?$`)
