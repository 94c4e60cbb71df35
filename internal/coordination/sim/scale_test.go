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

// The sizes and times of a step by the defaults, for mlpParams parameters. BenchmarkRelease of package
// distributed/sharing has measured sizes and the coordinator's times, in the compact coding and with 1 thread.
// TestSimulatedSizes there checks the sizes. BenchmarkStep of package threshold has measured a worker's time besides
// the step, with which it encodes an update and applies one.
const (
	mlpParams  = 397_510
	workerTime = time.Millisecond
	variation  = 0.1
)

var releases = []struct {
	workers, update, release int
	time                     time.Duration
}{
	{32, 27_852, 167_258, 14 * time.Millisecond},
	{128, 27_852, 237_520, 47 * time.Millisecond},
	{1000, 27_852, 360_232, 402 * time.Millisecond},
}

// models are networks by their parameters.
var models = []struct {
	name   string
	params int
}{{"400 thousand", mlpParams}, {"10 million", 25 * mlpParams}}

// scaleDoc is the document with the table of TestScale.
const scaleDoc = "../../../docs/simulation.md"

const scaleHead = "| network | parameters | workers | step | update | sum | PLAIN: minibatches/s | of ideal | " +
	"bytes/s at the root | MESH: minibatches/s | of ideal | bytes/s at the root | " +
	"averaging every 5: minibatches/s | advice |\n"

// TestScale measures the table of docs/simulation.md with the real machines on a simulated network. It compares the
// rows with the file, and Advise with the rows. It leaves out rows of 128 workers with -short. It measures rows of 1000
// workers only in make campaign. With DL4GO_WRITE=1 and DL4GO_CAMPAIGN=1 it replaces the table in the file.
func TestScale(t *testing.T) {
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
	table.WriteString(scaleHead + strings.Repeat("| --- ", strings.Count(scaleHead, "|")-1) + "|\n")
	for _, network := range networks {
		for _, model := range models {
			for at := range releases[:campaign.Count(1, 2, 3)] {
				for _, step := range []time.Duration{time.Second, 100 * time.Millisecond, 10 * time.Millisecond} {
					l := loadOf(at, model.params, step)
					l.Wire = network.wire
					row := fmt.Sprintf("| %s | %s | %d | %v | %s | %s |", network.name, model.name, l.Workers, step,
						kilobytes(l.MessageBytes), kilobytes(l.ReleaseBytes)) + measureRow(t, l, 4*model.params)
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

// loadOf returns the load of a network with so many parameters.
func loadOf(at, params int, step time.Duration) Load {
	r, times := releases[at], params/mlpParams
	return Load{Workers: r.workers, StepTime: step, Variation: variation, MessageBytes: times * r.update,
		ReleaseBytes: times * r.release, ReleaseTime: time.Duration(times) * r.time,
		Work: time.Duration(times) * workerTime, Steps: 8}
}

// measureRow measures the end of a row. model is the bytes of the parameters.
func measureRow(t *testing.T, l Load, model int) (row string) {
	advice := coordination.Advise(coordination.Cluster{Workers: l.Workers, StepTime: l.StepTime, EncodeTime: l.Work,
		MessageBytes: float64(l.MessageBytes), ReleaseBytes: float64(l.ReleaseBytes), ReleaseTime: l.ReleaseTime,
		ModelBytes: float64(model), Frequency: 5, Depth: 2, Bandwidth: l.Wire.Bandwidth, Latency: l.Wire.Latency})
	for _, mode := range []coordination.Mode{coordination.Plain, coordination.Mesh} {
		formula := advice.Plain
		if mode == coordination.Mesh {
			formula = advice.Mesh
		}
		l.Mode = mode
		f, err := Measure(l)
		if err != nil {
			t.Fatal(err)
		}
		row += fmt.Sprintf(" %.3g | %.0f %% | %.1f MB |", f.Updates, 100*f.Share, (f.RootSent+f.RootGot)/1e6)
		if off := f.Updates / formula; off < 0.7 || off > 1.4 {
			t.Errorf("%+v: %.0f updates a second are measured, Advise says %.0f", l, f.Updates, formula)
		}
		if f.Staleness != 0 {
			t.Errorf("%+v: %.2f updates are missing when a step begins", l, f.Staleness)
		}
	}
	l.MessageBytes = model
	rounds, err := MeasureRounds(l, 5, 4)
	if err != nil {
		t.Fatal(err)
	}
	if off := rounds / advice.Averaging; off < 0.6 || off > 1.6 {
		t.Errorf("%+v: %.0f minibatches a second in rounds are measured, Advise says %.0f", l, rounds, advice.Averaging)
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
	return row + fmt.Sprintf(" %.3g | %s |\n", rounds, what)
}

func kilobytes(n int) string { return fmt.Sprintf("%d kB", n/1000) }
