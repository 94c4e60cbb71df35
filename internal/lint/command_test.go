package lint

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandLines is the maximum number of lines of Go, without tests, of the command line: flags, output and exit codes.
// Logic belongs in packages.
const commandLines = 3500

// TestCommandIsThin holds cmd/dl4go to commandLines.
func TestCommandIsThin(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "cmd", "dl4go", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	n := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n += bytes.Count(text, []byte("\n"))
	}
	if n > commandLines {
		t.Errorf("cmd/dl4go has %d lines, at most %d are wanted: move what is not flags, output or exit codes to a package",
			n,
			commandLines)
	}
}
