package faulttest

import (
	"strings"

	"github.com/dl4go/dl4go/internal/campaign"
)

// Faults returns how many faults of each kind a test makes: 3 with -short (10 kills), 10 without, 100 in a campaign.
func Faults() int { return campaign.Count(3, 10, 100) }

type kind struct {
	name string
	Fault
	rare int // make this many times fewer, as each takes seconds
	most int // limit in one job, which has no more such tasks
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

// has reports whether a kind of fault can happen under an engine.
func (under Engine) has(k kind) bool {
	switch {
	case k.Deed == Stop && under.Silence == nil: // the engine waits for a stopped worker until the task's deadline
		return false
	case k.Deed.Parent() && !under.Executors: // the parent of the workers is the driver; another test kills it
		return false
	// Only in a fold do its workers receive rows from their parent.
	case k.Point == Read && k.Task == mapping && under.Filed:
		return false
	}
	return true
}

// groups returns the kinds that an engine can have. The kinds of a group happen in the same job: kills at one point of
// all tasks. Campaigns count each kind separately.
func (under Engine) groups() [][]kind {
	var all [][]kind
	kills := map[Fault]int{} // the group of each point
	for _, k := range kinds() {
		if !under.has(k) {
			continue
		}
		point := Fault{Point: k.Point, Row: k.Row}
		if k.Point == Read { // tasks read different numbers of rows
			point.Row = 0
		}
		i, found := kills[point]
		if k.Deed == Kill && !campaign.On() {
			if found {
				all[i] = append(all[i], k)
				continue
			}
			kills[point] = len(all)
		}
		all = append(all, []kind{k})
	}
	return all
}

func title(group []kind) string {
	var names []string
	for _, k := range group {
		names = append(names, k.name)
	}
	return strings.Join(names, "+") + "/" + group[0].String()
}

// times returns how many faults of the kind a test makes.
func (k kind) times() int {
	n := Faults()
	if k.Deed == Kill {
		n = max(n, campaign.Count(min(6, k.most), 10, 10))
	}
	if k.rare > 0 {
		n = max(1, n/k.rare)
	}
	return n
}

// together returns how many of these faults one job has.
func (under Engine) together(k kind) int {
	switch {
	case k.Deed.Parent():
		return 1
	case under.Trusting && k.Deed.unseen():
		return min(under.Together, k.most, 3)
	}
	return min(under.Together, k.most)
}

// faults returns n faults for job number number, in different tasks.
func (k kind) faults(n, number int) []Fault {
	var all []Fault
	for i := range n {
		f := k.Fault
		switch k.Task {
		case combining:
			f.Partition = i
		case mapping:
			f.Nth = number % 2
			fallthrough
		default: // neighbouring partitions, and those two apart, may be on one worker
			f.Partition = i/2 + i%2*partitions/2
		}
		all = append(all, f)
	}
	return all
}
