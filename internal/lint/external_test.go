package lint

import (
	"os/exec"
	"strings"
	"testing"
)

// TestExternal: the module that extends dl4go from outside compiles, with its tests, and needs no modules that this
// one does not need. ./... does not include it.
func TestExternal(t *testing.T) {
	vet := exec.Command("go", "vet", "-tags", "spark", "./...")
	vet.Dir = "../../examples/external"
	if out, err := vet.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	sums := read(t, "../../go.sum")
	for line := range strings.Lines(read(t, "../../examples/external/go.sum")) {
		if !strings.Contains(sums, line) {
			t.Errorf("go.sum does not have %s", line)
		}
	}
}
