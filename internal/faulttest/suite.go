package faulttest

import (
	"bytes"
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

// Faults returns the number of faults of each kind in a test: 3 with -short (6 kills), 10 without, 100 in a campaign.
func Faults() int { return campaign.Count(3, 10, 100) }

type kind struct {
	name string
	Fault
	rare int // divides the number of faults, because each takes seconds
	most int // the limit in one job, which has no more such tasks
}

func kinds() []kind {
	var all []kind
	for _, task := range []struct {
		label, name string
		rows        int // about half of the rows that the task reads
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

// has reports whether a kind of fault can happen under the engine.
func (under Engine) has(k kind) bool {
	switch {
	case k.Deed == Stop && under.Silence == nil: // the engine would wait until the task's deadline
		return false
	case k.Deed.Parent() && !under.Executors: // the parent is the driver; another test kills it
		return false
	// Here the workers of such an engine read rows from their parent only in a fold.
	case k.Point == Read && k.Task == mapping && under.Filed:
		return false
	}
	return true
}

// Run injects faults of all kinds. It checks that every job gives the same result as without faults, and that no worker
// is left at the end.
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

// partitions is the number of partitions of a job. Three workers combine their last rows before these become one.
const partitions = 10

// job injects n faults into a job and reports whether the result is right.
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
		default: // neighbours may share a worker, and so may partitions two apart
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
