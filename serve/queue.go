package serve

import (
	"context"
	"sync"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// dispatcher gives calls seats, one after the other, and lets those that wait share minibatches.
type dispatcher struct {
	o Options

	mu      sync.Mutex
	free    []*seat
	queue   queue
	running int // seats in use
	// gathering is the number of calls that have a seat and are about to take others along. While there are any,
	// further calls wait to be taken, even if a seat is free: a few full minibatches do more than many small ones.
	gathering int
	watch     watch
	idle      *time.Timer
	closed    bool
	drained   chan struct{} // closed when the last seat is back after Close
}

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

	due  bool // it no longer waits for others to share its minibatch
	next *call
	// wake wakes a waiting caller. nil means that the answer or an error is there. A seat means that the caller must
	// compute the next minibatch.
	wake chan *seat
}

// queue holds the waiting calls, in the order in which they came.
type queue struct {
	first, last *call
	rows        int
}

func (q *queue) push(c *call) {
	c.next = nil
	if q.last == nil {
		q.first = c
	} else {
		q.last.next = c
	}
	q.last = c
	q.rows += c.rows
}

// remove removes the calls that f takes. f sees them in order, until it returns false for more.
func (q *queue) remove(f func(*call) (take, more bool)) {
	var before *call
	for c, more := q.first, true; c != nil && more; {
		next := c.next
		var take bool
		if take, more = f(c); take {
			if before == nil {
				q.first = next
			} else {
				before.next = next
			}
			if q.last == c {
				q.last = before
			}
			c.next = nil
			q.rows -= c.rows
		} else {
			before = c
		}
		c = next
	}
}

// alike counts the examples that wait and can share a minibatch with a call, up to most.
func (q *queue) alike(c *call, most int) (rows int) {
	for other := q.first; other != nil && rows < most; other = other.next {
		if sameShapes(c.in, c.rows, other.in, other.rows) {
			rows += other.rows
		}
	}
	return rows
}

// enter gives a call a seat, or has it wait: then there is neither a seat nor an error.
func (d *dispatcher) enter(c *call) (*seat, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return nil, ErrClosed
	}
	if len(d.free) > 0 && d.gathering == 0 &&
		(d.o.MaxDelay == 0 || c.rows+d.queue.alike(c, d.o.MaxBatch) >= d.o.MaxBatch) {
		return d.take(), nil
	}
	if d.queue.first != nil && d.queue.rows+c.rows > d.o.MaxQueue {
		return nil, ErrOverloaded
	}
	d.queue.push(c)
	d.watchLater(0)
	return nil, nil
}

// take takes a free seat: the one that was used last, whose memory is warm.
func (d *dispatcher) take() *seat {
	d.gathering++
	last := len(d.free) - 1
	s := d.free[last]
	d.free = d.free[:last]
	d.running++
	return s
}

// gather takes the calls out of the queue that go with c into one minibatch.
func (d *dispatcher) gather(batch []*call, c *call) []*call {
	d.mu.Lock()
	defer d.mu.Unlock()
	batch = append(batch, c)
	rows := c.rows
	d.queue.remove(func(other *call) (take, more bool) {
		if rows+other.rows > d.o.MaxBatch || !sameShapes(c.in, c.rows, other.in, other.rows) {
			return false, rows < d.o.MaxBatch
		}
		rows += other.rows
		batch = append(batch, other)
		return true, rows < d.o.MaxBatch
	})
	d.gathering--
	d.start()
	return batch
}

// start gives a free seat to the next call that may begin, unless another call is about to take calls along.
func (d *dispatcher) start() {
	if len(d.free) > 0 && d.gathering == 0 {
		if next := d.next(); next != nil {
			next.wake <- d.take()
		}
	}
}

// next takes the first call out of the queue that may begin; nil if there is none.
func (d *dispatcher) next() (next *call) {
	d.queue.remove(func(c *call) (take, more bool) {
		if d.o.MaxDelay > 0 && !c.due && !d.closed && d.queue.alike(c, d.o.MaxBatch) < d.o.MaxBatch {
			return false, true
		}
		next = c
		return true, false
	})
	return next
}

// release gives a seat to the next call, or makes it free.
func (d *dispatcher) release(s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if next := d.next(); next != nil {
		d.gathering++
		next.wake <- s
		return
	}
	d.running--
	d.free = append(d.free, s)
	d.tidyLater(s)
	d.drain()
}

// drain tells Close that nothing is under way.
func (d *dispatcher) drain() {
	if d.closed && d.running == 0 && d.queue.first == nil {
		close(d.drained)
	}
}

// Waiting is the number of examples of calls that wait for their turn.
func (d *dispatcher) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.queue.rows
}

// shut refuses further calls, waits for the others, and frees the seats' memory.
func (d *dispatcher) shut() error {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return ErrClosed
	}
	d.closed = true
	d.start()
	d.drain()
	d.mu.Unlock()
	<-d.drained
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, t := range []*time.Timer{d.idle, d.watch.timer} {
		if t != nil {
			t.Stop()
		}
	}
	for _, s := range d.free {
		s.close()
	}
	return nil
}

// sameShapes reports whether n examples and k others can go through a network together.
func sameShapes(a *data.MultiDataSet, n int, b *data.MultiDataSet, k int) bool {
	return sameRows(a.Features, b.Features, n, k) && sameRows(a.FeatureMasks, b.FeatureMasks, n, k) &&
		sameRows(a.LabelMasks, b.LabelMasks, n, k) && sameRows(a.Labels, b.Labels, n, k)
}

// sameRows reports whether the examples of these arrays, n and k of them, have the same shapes.
func sameRows(a, b []*tensor.Dense, n, k int) bool {
	if len(a) != len(b) {
		return false
	}
	for i, x := range a {
		y := b[i]
		if (x == nil) != (y == nil) || x != nil && (x.Shape[0]*k != y.Shape[0]*n || !x.Shape[1:].Equal(y.Shape[1:])) {
			return false
		}
	}
	return true
}
