package sharing

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestSimulatedSizes checks that the simulation of large clusters has the sizes that the defaults produce.
func TestSimulatedSizes(t *testing.T) {
	const workers = 32
	r, payloads := releasing(t, workers, 1, CompactCoding)
	update := 0
	for _, p := range payloads {
		update += len(p)
		if err := r.Apply(&coordination.Entry{Payload: p}); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := r.Sum()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile("../../docs/simulation.md")
	if err != nil {
		t.Fatal(err)
	}
	row := fmt.Sprintf("| 400 thousand | %d | 100ms | %d kB | %d kB |", workers, update/workers/1000, len(sum)/1000)
	if !strings.Contains(string(file), row) {
		t.Errorf("docs/simulation.md has no row with %q: change releases in internal/coordination/sim/scale_test.go", row)
	}
	got, want := sumBytes(r.twin.Params, workers, DefaultAlgorithm().Share), float64(len(sum))
	if got < 0.8*want || got > 1.2*want {
		t.Errorf("sums of %g bytes are estimated, not %g", got, want)
	}
}
