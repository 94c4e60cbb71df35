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
	// gathering is how many calls have a seat and are about to take along others. While there are any, further calls wait
	// to be taken, even if a seat is free: a few full minibatches do more than many small ones.
	gathering int
	idle      *time.Timer
	closed    bool
	drained   chan struct{} // closed when the last seat is back after Close
}

// call is a question and its answer.
type call struct {
	in    *data.MultiDataSet // own, or the caller's
	own   data.MultiDataSet
	rows  int
	came  time.Time // where somebody wants to know
	times *Times
	out   []*tensor.Dense
	err   error

	state state
	due   bool // it waits no longer for others to share its minibatch
	next  *call
	// wake tells a caller that waits: nil that the answer is there, a seat that it has to lead the next minibatch.
	wake chan *seat
}

// state is where a call is.
type state byte

const (
	outside state = iota
	queued
	leading // it has a seat
	taken   // another call's goroutine computes it
)

// queue is the calls that wait, in the order in which they came.
type queue struct {
	first, last *call
	rows        int
}

func (q *queue) push(c *call) {
	c.state, c.next = queued, nil
	if q.last == nil {
		q.first = c
	} else {
		q.last.next = c
	}
	q.last = c
	q.rows += c.rows
}

// remove takes out the calls that f wants. f sees them in order.
func (q *queue) remove(f func(*call) bool) {
	var before *call
	for c := q.first; c != nil; {
		next := c.next
		if f(c) {
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
		if sameShapes(c.in, other.in) {
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
		return d.take(c), nil
	}
	if d.queue.first != nil && d.queue.rows+c.rows > d.o.MaxQueue {
		return nil, ErrOverloaded
	}
	d.queue.push(c)
	return nil, nil
}

// take takes a free seat: the one that was used last, whose memory is warm.
func (d *dispatcher) take(c *call) *seat {
	c.state = leading
	d.gathering++
	last := len(d.free) - 1
	s := d.free[last]
	d.free = d.free[:last]
	d.running++
	return s
}

// await waits for the answer, or for a seat to lead a minibatch with.
func (d *dispatcher) await(ctx context.Context, c *call) (*seat, error) {
	if ctx.Done() == nil && d.o.MaxDelay == 0 { // nothing else can happen
		return <-c.wake, nil
	}
	var delay <-chan time.Time
	if d.o.MaxDelay > 0 {
		t := time.NewTimer(d.o.MaxDelay)
		defer t.Stop()
		delay = t.C
	}
	for {
		select {
		case s := <-c.wake:
			return s, nil
		case <-delay:
			if s := d.insist(c); s != nil {
				return s, nil
			}
			delay = nil
		case <-ctx.Done():
			if s, left := d.leave(c); left {
				if s != nil {
					d.release(s)
				}
				return nil, context.Cause(ctx)
			}
			return <-c.wake, nil // it is being computed
		}
	}
}

// insist has a call wait no longer for others. It gives a seat if one is free.
func (d *dispatcher) insist(c *call) *seat {
	d.mu.Lock()
	defer d.mu.Unlock()
	c.due = true
	if c.state != queued || len(d.free) == 0 || d.gathering > 0 {
		return nil
	}
	d.queue.remove(func(other *call) bool { return other == c })
	return d.take(c)
}

// leave takes a call that is given up out of the queue, or gives back the seat that it was to lead with. It fails if
// the call is being computed.
func (d *dispatcher) leave(c *call) (s *seat, left bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch c.state {
	case queued:
		d.queue.remove(func(other *call) bool { return other == c })
		d.drain()
		return nil, true
	case leading:
		d.gathering--
		return <-c.wake, true
	}
	return nil, false
}

// gather takes the calls out of the queue that go with c into one minibatch.
func (d *dispatcher) gather(batch []*call, c *call) []*call {
	d.mu.Lock()
	defer d.mu.Unlock()
	batch = append(batch, c)
	rows := c.rows
	d.queue.remove(func(other *call) bool {
		if rows+other.rows > d.o.MaxBatch || !sameShapes(c.in, other.in) {
			return false
		}
		rows += other.rows
		other.state = taken
		batch = append(batch, other)
		return true
	})
	d.gathering--
	if len(d.free) > 0 && d.gathering == 0 {
		if next := d.next(); next != nil {
			next.wake <- d.take(next)
		}
	}
	return batch
}

// next takes the first call out of the queue that may begin; nil if there is none.
func (d *dispatcher) next() (next *call) {
	d.queue.remove(func(c *call) bool {
		wait := d.o.MaxDelay > 0 && !c.due && !d.closed && d.queue.alike(c, d.o.MaxBatch) < d.o.MaxBatch
		if next != nil || wait {
			return false
		}
		next = c
		return true
	})
	return next
}

// release gives a seat to the next call, or makes it free.
func (d *dispatcher) release(s *seat) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if next := d.next(); next != nil {
		next.state = leading
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
	d.drain()
	d.mu.Unlock()
	<-d.drained
	if d.idle != nil {
		d.idle.Stop()
	}
	for _, s := range d.free {
		s.close()
	}
	return nil
}

// sameShapes says whether examples can go through a network together.
func sameShapes(a, b *data.MultiDataSet) bool {
	n, k := a.Examples(), b.Examples()
	return sameRows(a.Features, b.Features, n, k) && sameRows(a.FeatureMasks, b.FeatureMasks, n, k) &&
		sameRows(a.LabelMasks, b.LabelMasks, n, k) && sameRows(a.Labels, b.Labels, n, k)
}

// sameRows says whether examples of these arrays, of n and k examples, have the same shapes.
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
