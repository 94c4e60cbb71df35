package faulttest

import (
	"bytes"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/campaign"
)

// Engine is how an engine is tested.
type Engine struct {
	// Open starts it, with two slots or more, four attempts a task, and workers that speak worker.Text.
	Open func(t *testing.T) engine.Engine
	// Together is how many faults of a kind go into one job; more make the suite faster. A worker that is killed has
	// all its tasks attempted again, so no worker may have four faults.
	Together int
	// Trusting: nobody repeats the task of a worker that gives what is no output and seems well, but the driver, of whose
	// attempts at a job there are four.
	Trusting bool
	// Silence starts it so that it soon notices when a worker is stopped or hangs; nil where it waits for the task's
	// deadline. Only those faults happen under it: on a slow machine, a worker that is well may be silent for as long.
	Silence func(t *testing.T) engine.Engine
	// Executors: the parent of a worker is a process that may be killed, as there are others.
	Executors bool
	// Filed: a few rows of the driver's are in a file of the worker's, not in what it reads of its parent.
	Filed bool
}

// Faults is how many of each kind a test makes: 3 with -short (10 kills), 10 without, 100 in a campaign.
func Faults() int { return campaign.Count(3, 10, 100) }

type kind struct {
	name string
	Fault
	rare int // how many times fewer, as each takes seconds
	most int // in one job, as there are no more tasks like that
}

func kinds() []kind {
	var all []kind
	for _, task := range []struct {
		label, name string
		rows        int // that it reads; and half of them
		most        int
	}{{"map", mapping, 3, 100}, {"fold", folding, 3, 100}, {"aggregate", combining, 1, 3}} {
		points := []Fault{{Point: Told}, {Point: Read, Row: task.rows}, {Point: Wrote}, {Point: End}, {Point: Committed}}
		if task.name == mapping {
			points = append(points, Fault{Point: Wrote, Row: 2})
		}
		for _, f := range points {
			f.Deed, f.Task = Kill, task.name
			all = append(all, kind{name: task.label, Fault: f, most: task.most})
		}
		for _, d := range []Deed{Repeat, Late} {
			all = append(all, kind{name: task.label, Fault: Fault{Deed: d, Point: Committed, Task: task.name}, most: task.most})
		}
	}
	for _, f := range []Fault{
		{Deed: Cut, Point: Wrote, Row: 2}, {Deed: Exit, Point: End}, {Deed: Garbage, Point: Wrote, Row: 2},
		{Deed: Garbage, Point: Committed}, {Deed: Lose, Point: Wrote, Row: 2}, {Deed: Foreign, Point: Wrote, Row: 2},
		{Deed: Stop, Point: Wrote, Row: 2}, {Deed: Hang, Point: End}, {Deed: Orphan, Point: Wrote, Row: 2},
		{Deed: Orphan, Point: Committed}, {Deed: Ghost, Point: Wrote, Row: 2},
	} {
		f.Task = mapping
		all = append(all, kind{name: "map", Fault: f, most: 100, rare: map[Deed]int{Stop: 5, Hang: 5, Orphan: 10,
			Ghost: 10}[f.Deed]})
	}
	return all
}

// has says whether a kind of fault can happen under an engine.
func (under Engine) has(k kind) bool {
	switch {
	case k.Deed == Stop && under.Silence == nil: // it waits for a stopped worker until the task's deadline
		return false
	case k.Deed.Parent() && !under.Executors: // the parent of its workers is the driver, whose end is another test's
		return false
	// its workers have no rows of their parent here, but in a fold
	case k.Point == Read && k.Task == mapping && under.Filed:
		return false
	}
	return true
}

// Run makes faults of all kinds, each so often. Every job gives what it gives undisturbed. No worker is left in the
// end.
func Run(t *testing.T, under Engine) {
	faults := campaign.Record(t)
	usual := under.Open(t)
	engines := []engine.Engine{usual}
	var workers []Process
	for _, k := range kinds() {
		if !under.has(k) {
			continue
		}
		t.Run(k.name+"/"+k.Fault.String(), func(t *testing.T) {
			e := usual
			if silent := k.Deed == Stop || k.Deed == Hang; silent && under.Silence != nil {
				e = under.Silence(t)
				engines = append(engines, e)
			}
			count, together := Faults(), under.Together
			if k.Deed == Kill {
				count = max(count, campaign.Count(6, 10, 10))
			}
			if k.Deed.Parent() {
				together = 1
			}
			if under.Trusting && k.Deed.unseen() {
				together = min(together, 3)
			}
			if k.rare > 0 {
				count = max(1, count/k.rare)
			}
			jobs, exact := 0, 0
			for left := count; left > 0; jobs++ {
				n := min(left, together, k.most)
				left -= n
				armed, ok := under.job(t, e, k, n, jobs)
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
}

// partitions of a job, whose last rows are combined by three workers before they are one.
const partitions = 10

// job disturbs n tasks of a job, and says whether that gives what it should.
func (under Engine) job(t *testing.T, e engine.Engine, k kind, n, number int) (*Armed, bool) {
	t.Helper()
	var faults []Fault
	for i := range n {
		f := k.Fault
		switch k.Task {
		case combining:
			f.Partition = i
		case mapping:
			f.Nth = number % 2
			fallthrough
		default: // neighbours, and those two places apart, may be one worker's
			f.Partition = i/2 + i%2*partitions/2
		}
		faults = append(faults, f)
	}
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
