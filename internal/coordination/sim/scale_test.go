package sim

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/coordination"
)

var networks = []struct {
	name string
	wire Wire
}{
	{"10 Gbit/s, 0.1 ms", Wire{Latency: 100 * time.Microsecond, Bandwidth: 1.25e9}},
	{"1 Gbit/s, 0.5 ms", Wire{Latency: 500 * time.Microsecond, Bandwidth: 0.125e9}},
}

// models has a model of 400 thousand and one of 10 million parameters. An update has a thousandth of them.
var models = []struct{ message, model int }{{700, 1_600_000}, {16_000, 40_000_000}}

// scaleDoc is the document with the table of TestScale.
const scaleDoc = "../../../docs/simulation.md"

// TestScale measures the table of docs/simulation.md with the real machines on a simulated network. It compares the
// rows with the file, and Advise with the rows. It leaves out rows of 128 workers with -short. It measures rows of 1000
// workers only in make campaign. With DL4GO_WRITE=1 and DL4GO_CAMPAIGN=1 it replaces the table in the file.
func TestScale(t *testing.T) {
	sizes := []int{32, 128, 1000}[:campaign.Count(1, 2, 3)]
	file, err := os.ReadFile(scaleDoc)
	if err != nil {
		t.Fatal(err)
	}
	text, _, found := strings.Cut(string(file), "| network |")
	if !found {
		t.Fatalf("%s has no table that begins with | network |", scaleDoc)
	}
	writing := os.Getenv("DL4GO_WRITE") != ""
	var table strings.Builder
	table.WriteString("| network | message | workers | step | PLAIN: updates/s | of ideal | bytes/s at the root | " +
		"staleness | MESH: updates/s | of ideal | bytes/s at the root | staleness | averaging every 5: minibatches/s | " +
		"advice |\n")
	table.WriteString("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, network := range networks {
		for _, model := range models {
			for _, workers := range sizes {
				for _, step := range []time.Duration{100 * time.Millisecond, 10 * time.Millisecond, time.Millisecond} {
					row := measureRow(t, network.name, network.wire, model.message, model.model, workers, step)
					table.WriteString(row)
					if !writing && !strings.Contains(string(file), row) {
						t.Errorf("%s lacks this row, which was measured:\n%s", scaleDoc, row)
					}
				}
			}
		}
	}
	if writing {
		if err := os.WriteFile(scaleDoc, []byte(text+table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func measureRow(t *testing.T, network string, wire Wire, bytes, model, workers int, step time.Duration) string {
	advice := coordination.Advise(coordination.Cluster{Workers: workers, StepTime: step, MessageBytes: float64(bytes),
		ModelBytes: float64(model), Frequency: 5, Depth: 2, Bandwidth: wire.Bandwidth, Latency: wire.Latency})
	row := fmt.Sprintf("| %s | %d B | %d | %v |", network, bytes, workers, step)
	for _, mode := range []coordination.Mode{coordination.Plain, coordination.Mesh} {
		formula := advice.Plain
		if mode == coordination.Mesh {
			formula = advice.Mesh
		}
		steps := 16
		if ideal := float64(workers) / step.Seconds(); workers > 500 && formula > 0.9*ideal {
			steps = 4 // enough if nothing piles up
		} else if workers > 500 {
			steps = 10
		}
		f, err := Measure(Load{Workers: workers, Mode: mode, StepTime: step, MessageBytes: bytes, Steps: steps, Wire: wire})
		if err != nil {
			t.Fatal(err)
		}
		row += fmt.Sprintf(" %.0f | %.0f %% | %s | %.2f |", f.Updates, 100*f.Share, megabytes(f.RootSent+f.RootGot),
			f.Staleness/float64(workers))
		if off := f.Updates / formula; off < 0.7 || off > 1.4 {
			t.Errorf("%s %d B, %d workers, %v, mode %d: %.0f updates a second are measured, Advise says %.0f", network, bytes,
				workers, step, mode, f.Updates, formula)
		}
	}
	rounds, err := MeasureRounds(Load{Workers: workers, StepTime: step, MessageBytes: model, Wire: wire}, 5, 4)
	if err != nil {
		t.Fatal(err)
	}
	if off := rounds / advice.Averaging; off < 0.6 || off > 1.6 {
		t.Errorf("%s %d B, %d workers, %v: %.0f minibatches a second in rounds are measured, Advise says %.0f", network,
			model, workers, step, rounds, advice.Averaging)
	}
	what := "averaging"
	switch {
	case advice.Alone:
		what = "one machine"
	case advice.Sharing && advice.Mode == coordination.Mesh:
		what = "MESH"
	case advice.Sharing:
		what = "PLAIN"
	}
	return row + fmt.Sprintf(" %.0f | %s |\n", rounds, what)
}

func megabytes(b float64) string { return fmt.Sprintf("%.1f MB", b/1e6) }
