package faulttest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
)

// Engine describes an engine to test.
type Engine struct {
	// Open starts the engine with at least two slots, four attempts per task, and workers that speak worker.Text.
	Open func(t *testing.T) engine.Engine
	// Together is the number of faults of a kind in one job. A higher number makes the suite faster. All tasks of a
	// killed worker are attempted again, so no worker may have four faults.
	Together int
	// Trusting is set if the engine doesn't repeat a task whose worker looks healthy but writes invalid output. Only
	// the driver notices, and it repeats the whole job. It makes up to four attempts.
	Trusting bool
	// Silence starts an engine that soon notices a stopped or hanging worker. It is nil if the engine waits for the
	// task's deadline. Only these faults run under it, because a healthy worker on a slow machine can be silent for as
	// long.
	Silence func(t *testing.T) engine.Engine
	// Executors is set if a worker's parent is a process that may be killed, because there are others.
	Executors bool
	// Filed is set if the worker reads the driver's rows from a file when they are few, not from its parent's stream.
	Filed bool
}

// Run makes faults of all kinds, several of each. It checks that every job has the same result as undisturbed, and that
// no worker remains.
func Run(t *testing.T, under Engine) {
	faults := campaign.Record(t)
	usual := under.Open(t)
	engines := []engine.Engine{usual}
	var workers []Process
	for _, group := range under.groups() {
		t.Run(title(group), func(t *testing.T) {
			e := usual
			if d := group[0].Deed; (d == Stop || d == Hang) && under.Silence != nil {
				e = under.Silence(t)
				engines = append(engines, e)
			}
			left, count := make([]int, len(group)), 0
			for i, k := range group {
				left[i] = k.times()
				count += left[i]
			}
			jobs, exact := 0, 0
			for ; slices.Max(left) > 0; jobs++ {
				var all []Fault
				for i, k := range group {
					n := min(left[i], under.together(k))
					left[i] -= n
					all = append(all, k.faults(n, jobs)...)
				}
				armed, ok := job(t, e, all)
				workers = append(workers, armed.WantHappened()...)
				armed.Continue()
				armed.Disarm()
				if ok {
					exact++
				}
			}
			faults.Add(count)
			t.Logf("%d faults, %d jobs, %d exact, %d failed", count, jobs, exact, jobs-exact)
		})
	}
	for _, e := range engines {
		must(t, e.Close())
	}
	for _, p := range workers {
		p.WantGone(t)
	}
	if under.Executors {
		WantSlots(t, under.Open, usual.Slots())
	}
}

// WantSlots waits until a new engine has so many slots: an executor that was killed comes back after a while. Later
// tests count on all of them.
func WantSlots(t *testing.T, open func(t *testing.T) engine.Engine, slots int) {
	t.Helper()
	await.Until(t, "the executors to come back", func() (any, bool) {
		e := open(t)
		must(t, e.Close())
		return e.Slots(), e.Slots() >= slots
	})
}

// partitions is the number of partitions of a job. Three workers combine their last rows before these become one.
const partitions = 10

// job makes faults in a job, and reports whether its result is correct.
func job(t *testing.T, e engine.Engine, faults []Fault) (*Armed, bool) {
	t.Helper()
	armed := Arm(t, faults...)
	ctx := await.Context(t)
	got, err := disturbed(e, partitions)(ctx)
	exact := err == nil && bytes.Equal(got, undisturbed(t, partitions))
	switch {
	case err != nil:
		t.Errorf("the job fails: %v", err)
	case !exact:
		t.Errorf("the result is %.60s…, undisturbed it is another one", got)
	}
	return armed, exact
}
