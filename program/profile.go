package program

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Cost is the time that operations of one kind took in one part of a network.
type Cost struct {
	Scope
	// Op is the operation's name. Names of operations that run as one are joined by "+". Names that begin with "scan/"
	// are operations of a loop's steps; "scan" itself is the rest of a loop.
	Op    string
	Times int64
	Took  time.Duration
}

// Profile collects costs. Its methods may be called from any goroutine. A nil Profile has no costs.
type Profile struct {
	mu    sync.Mutex
	cells map[place]*Cell
}

// place is the key of costs.
type place struct {
	Scope
	op string
}

// Cell counts the runs and the time of one kind of operation, for executors.
type Cell struct{ times, took atomic.Int64 }

// Add counts a run that took this time.
func (c *Cell) Add(took time.Duration) {
	c.times.Add(1)
	c.took.Add(int64(took))
}

// Cell returns the counter of an operation.
func (p *Profile) Cell(s Scope, op string) *Cell {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cells == nil {
		p.cells = map[place]*Cell{}
	}
	at := place{s, op}
	if p.cells[at] == nil {
		p.cells[at] = &Cell{}
	}
	return p.cells[at]
}

// Take returns the costs since the last call, the largest first.
func (p *Profile) Take() []Cost {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Cost
	for at, c := range p.cells {
		if n := c.times.Swap(0); n > 0 {
			all = append(all, Cost{at.Scope, at.op, n, time.Duration(c.took.Swap(0))})
		}
	}
	SortCosts(all)
	return all
}

// SortCosts sorts costs by their time, the longest first.
func SortCosts(all []Cost) {
	slices.SortFunc(all, func(a, b Cost) int {
		return cmp.Or(cmp.Compare(b.Took, a.Took), cmp.Compare(a.Layer, b.Layer), cmp.Compare(a.Phase, b.Phase),
			cmp.Compare(a.Op, b.Op))
	})
}

// Profiler is an Executor that can time its operations.
type Profiler interface {
	Executor
	// SetProfile times the following runs; nil stops it. It must not be called during a run.
	SetProfile(p *Profile)
}
