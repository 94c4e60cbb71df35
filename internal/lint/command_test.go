package lint

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commandLines is the maximum number of lines of Go, without tests, of the command line: flags, output and exit codes.
// Raise it for a new command, by what that needs; logic belongs in packages.
const commandLines = 3500 +
	130 + // flags that shape built-in networks
	240 + // dl4go transform and inspect, and pipelines in other commands
	50 + // pictures, and random changes to them
	190 + // train on raw columns, and answers with names
	330 + // dl4go tune
	15 + // models' pipelines on the workers of a cluster
	60 + // lines that are broken at 120 columns
	50 + // weights of classes and examples
	120 + // cross-validation
	30 + // dl4go transform on engines, and into tables
	25 + // training on raw columns that workers read
	115 + // dl4go ui, and --ui
	155 + // dl4go device, and --device
	65 + // settings of devices, in tune and serve too
	140 + // dl4go serve
	140 + // bounds, trials and inspection of runs
	100 + // metrics of held-out data, and trackers
	60 + // outer optimisers
	40 + // --averaging-frequency auto
	20 + // traces
	60 + // --memory
	30 + // --split of data without a pipeline
	40 // pipeline flags that a model overrides, pages that compare runs, and event files for TensorBoard

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
