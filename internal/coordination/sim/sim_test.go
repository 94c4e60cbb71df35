package sim

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/campaign"
)

var (
	replay = flag.Uint64("seed", 0, "the one seed to be run, with its trace")
	traces = flag.String("traces", "",
		"a file that gets the hash of each seed's whole trace, to be compared with another version's")
)

// TestSchedules runs and checks random schedules with faults. To run a failing seed again: go test -run Schedules -args
// -seed N. To check that a change has no effect, compare the files that -traces FILE writes before and after it.
func TestSchedules(t *testing.T) {
	if *replay != 0 {
		r, err := Random(*replay, os.Stdout)
		t.Logf("%+v", r)
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	if *traces != "" {
		writeTraces(t, 5_000)
		return
	}
	n := campaign.Count(1_000, 5_000, 100_000)
	campaign.Record(t).Add(n)
	bad := 0
	var total Result
	for seed := uint64(1); seed <= uint64(n) && bad < 5; seed++ {
		r, err := Random(seed, nil)
		if err != nil {
			t.Errorf("%v (go test ./internal/coordination/sim -run Schedules -args -seed %d)", err, seed)
			bad++
		}
		total.Steps += r.Steps
		total.Updates += r.Updates
		total.Faults += r.Faults
		total.Lost += r.Lost
		total.Restarts += r.Restarts
		total.Checks += r.Checks
		total.Time += r.Time
		total.Longest = max(total.Longest, r.Longest)
	}
	t.Logf("%d schedules, %d faults, %d incarnations lost, %d coordinators restarted, %d updates committed, %d "+
		"replicas compared, %d steps of machines, %v simulated, nothing moved for at most %v",
		n, total.Faults, total.Lost, total.Restarts, total.Updates, total.Checks, total.Steps, total.Time, total.Longest)
}

// writeTraces writes the traces of the first seeds.
func writeTraces(t *testing.T, seeds uint64) {
	f, err := os.Create(*traces)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for seed := uint64(1); seed <= seeds; seed++ {
		r, err := Traced(seed)
		fmt.Fprintf(f, "%d %016x %d steps, %d updates, %v, %v\n", seed, r.Hash, r.Steps, r.Updates, r.Time, err)
	}
}
