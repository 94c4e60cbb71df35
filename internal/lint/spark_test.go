package lint

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSparkTests: make test-spark runs every package with tests that need Spark, and so does make test, in two parts.
// The target test-spark takes the tests from the files with the build tag.
func TestSparkTests(t *testing.T) {
	run := regexp.MustCompile(`\nON_SPARK = ([^\n]+)\n`).FindStringSubmatch(read(t, "../../Makefile"))
	if run == nil {
		t.Fatal("the Makefile's target test-spark has no packages")
	}
	parts := ""
	for _, part := range regexp.MustCompile(`"ON_SPARK=([^"]+)"`).FindAllStringSubmatch(read(t, "../../tools/test.sh"),
		-1) {
		parts += part[1] + " "
	}
	if strings.TrimSpace(parts) != run[1] {
		t.Errorf("tools/test.sh runs the packages %q on Spark, make test-spark %q", parts, run[1])
	}
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
		for _, pattern := range strings.Fields(run[1]) {
			pattern = "../.." + strings.TrimPrefix(pattern, ".")
			base, all := strings.CutSuffix(pattern, "/...")
			in = in || dir == base || all && strings.HasPrefix(dir, base+"/")
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test[A-Z]\w*)`).FindAllStringSubmatch(text, -1) {
			if m[1] == "TestMain" {
				continue
			}
			found++
			if !in {
				t.Errorf("%s: make test-spark does not run %s", path, m[1])
			}
		}
		return nil
	})
	if err != nil || found < 20 {
		t.Errorf("%d tests found, error %v", found, err)
	}
}
