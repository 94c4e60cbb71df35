package lint

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSparkTests: make test-spark runs every test that needs Spark, wherever it is; so does make test, in two parts.
func TestSparkTests(t *testing.T) {
	run := regexp.MustCompile(`(?s)\nON_SPARK = ([^\n]+)\n.* -run '([^']+)' \\\n\t\t\$\(filter-out ./examples/external,\$\(ON_SPARK\)\)\n`).FindStringSubmatch(read(t, "../../Makefile"))
	if run == nil {
		t.Fatal("the Makefile's target test-spark has no -run and packages")
	}
	run[1], run[2] = run[2], run[1]
	parts := ""
	for _, part := range regexp.MustCompile(`"ON_SPARK=([^"]+)"`).FindAllStringSubmatch(read(t, "../../tools/test.sh"),
		-1) {
		parts += part[1] + " "
	}
	if strings.TrimSpace(parts) != run[2] {
		t.Errorf("tools/test.sh runs the packages %q on Spark, make test-spark %q", parts, run[2])
	}
	names := regexp.MustCompile(run[1])
	found := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() != ".." && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text := read(t, path)
		if !strings.HasPrefix(text, "//go:build spark\n") {
			return nil
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		in := false
		for _, pattern := range strings.Fields(run[2]) {
			pattern = "../.." + strings.TrimPrefix(pattern, ".")
			base, all := strings.CutSuffix(pattern, "/...")
			in = in || dir == base || all && strings.HasPrefix(dir, base+"/")
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)`).FindAllStringSubmatch(text, -1) {
			if m[1] == "TestMain" {
				continue
			}
			found++
			if !in || !names.MatchString(m[1]) {
				t.Errorf("%s: make test-spark does not run %s", path, m[1])
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d tests found, error %v", found, err)
	}
}
