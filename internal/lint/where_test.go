package lint

import (
	"os"
	"strings"
	"testing"
)

// TestWhere: the paths that testdata/where.txt names exist.
func TestWhere(t *testing.T) {
	questions := 0
	for line := range strings.Lines(read(t, "testdata/where.txt")) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		question, path, ok := strings.Cut(strings.TrimSpace(line), "?")
		path = strings.TrimSpace(path)
		if !ok || path == "" {
			t.Errorf("no question and path: %q", line)
			continue
		}
		if _, err := os.Stat("../../" + path); err != nil {
			t.Errorf("%s? %v", question, err)
		}
		questions++
	}
	if questions != 30 {
		t.Errorf("%d questions", questions)
	}
}
