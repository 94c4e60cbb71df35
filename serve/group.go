package serve

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// call is a question and its answer.
type call struct {
	ctx   context.Context
	in    *data.MultiDataSet // own, or the caller's
	own   data.MultiDataSet
	rows  int
	came  time.Time // where somebody wants to know
	times *Times
	out   []*tensor.Dense
	err   error
	// doubtful says that the outputs are yet to be checked for numbers that are not finite.
	doubtful bool
	left     atomic.Bool // its context ended while it waited
}

func (c *call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// group is calls that share a minibatch, in the order in which they came. Calls join it until a seat computes it. All
// but the one that leads it wait, and one broadcast wakes them.
type group struct {
	calls   []*call
	rows    int
	waiting int // rows of calls that wait
	// led says that a call or a goroutine has a seat for it, and is about to compute it.
	led bool
	due bool // it no longer waits for further calls

	answers sync.Cond // L is a parting
	// answered is set when all calls have an answer or an error.
	answered atomic.Bool
	// disturbed says that a call has left before. Then calls that still wait were woken, too, and wait again.
	disturbed bool
	// staying counts the calls that still read the group. The last one frees it for reuse, and tells the goroutine that
	// computed it: nil for none.
	staying atomic.Int32
	parted  chan<- struct{}
	// panicked is what computing panicked with, in a goroutine of the predictor. The first call panics with it.
	panicked any
}

// parting unlocks a dispatcher when a call begins to wait, and does not lock it again afterwards: woken calls need
// nothing of it.
type parting struct{ d *dispatcher }

func (p *parting) Lock()   {}
func (p *parting) Unlock() { p.d.mu.Unlock() }

// newGroup returns a group of one call.
func (d *dispatcher) newGroup(c *call) *group {
	g, _ := d.groups.Get().(*group)
	if g == nil {
		g = &group{}
		g.answers.L = &d.parting
	}
	g.join(c)
	return g
}

func (g *group) join(c *call) {
	g.calls = append(g.calls, c)
	g.rows += c.rows
}

// takes reports whether a call can join the group.
func (g *group) takes(c *call, most int) bool {
	first := g.calls[0]
	return g.rows+c.rows <= most && sameShapes(first.in, first.rows, c.in, c.rows)
}

// wait has a call wait for its answer. The dispatcher is locked, and unlocked afterwards.
func (g *group) wait(d *dispatcher, c *call) {
	for {
		g.answers.Wait()
		switch {
		case c.left.Load():
			return
		case g.answered.Load():
			g.part(d, c)
			return
		}
		d.mu.Lock() // another call has left
		if c.left.Load() {
			d.mu.Unlock()
			return
		}
		if g.answered.Load() {
			d.mu.Unlock()
			g.part(d, c)
			return
		}
	}
}

// part ends a call's reading of its group.
func (g *group) part(d *dispatcher, c *call) {
	panicked := any(nil)
	if c == g.calls[0] {
		panicked = g.panicked
	}
	g.free(d)
	if panicked != nil {
		panic(panicked)
	}
}

// free frees the group when it is the last to call it.
func (g *group) free(d *dispatcher) {
	if g.staying.Add(-1) > 0 {
		return
	}
	if g.parted != nil {
		g.parted <- struct{}{}
	}
	if g.disturbed {
		return
	}
	clear(g.calls)
	g.calls = g.calls[:0]
	g.rows, g.waiting, g.led, g.due, g.parted, g.panicked = 0, 0, false, false, nil, nil
	g.answered.Store(false)
	d.groups.Put(g)
}

// leave removes the calls for which f returns true, and wakes all.
func (g *group) leave(f func(*call) bool) (rows int) {
	g.calls = slices.DeleteFunc(g.calls, func(c *call) bool {
		if !f(c) {
			return false
		}
		rows += c.rows
		c.left.Store(true) // then the call may be over
		return true
	})
	if rows > 0 {
		g.rows -= rows
		g.waiting -= rows
		g.disturbed = true
		g.answers.Broadcast()
	}
	return rows
}

// announce wakes the waiting calls when all have an answer.
func (g *group) announce(d *dispatcher) {
	if g.disturbed { // a call may be between two waits
		d.mu.Lock()
		defer d.mu.Unlock()
	}
	g.answered.Store(true)
	g.answers.Broadcast()
}
