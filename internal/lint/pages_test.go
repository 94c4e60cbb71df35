package lint

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestInference: every line of Go code in docs/inference.md is in an example of package nn or serve, which runs.
func TestInference(t *testing.T) {
	files, err := filepath.Glob("../../nn/example*_test.go")
	files = append(files, "../../serve/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[string]bool{}
	for _, file := range files {
		for line := range strings.Lines(read(t, file)) {
			examples[strings.TrimSpace(line)] = true
		}
	}
	lines := 0
	for i, block := range strings.Split(read(t, "../../docs/inference.md"), "```") {
		code, ok := strings.CutPrefix(block, "go\n")
		if i%2 == 0 || !ok {
			continue
		}
		for line := range strings.Lines(code) {
			lines++
			if !examples[strings.TrimSpace(line)] {
				t.Errorf("no example of packages nn and serve has this line of docs/inference.md: %s", strings.TrimSpace(line))
			}
		}
	}
	if lines < 20 {
		t.Errorf("only %d lines", lines)
	}
}
