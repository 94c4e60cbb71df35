package serve

import (
	"slices"
	"sync"
	"time"
)

// dispatcher gives groups of calls seats, one after the other.
type dispatcher struct {
	o Options

	mu      sync.Mutex
	parting parting // of mu
	free    []*seat
	joining []*group // that calls may join, in the order in which they came
	rows    int      // of calls that wait
	running int      // seats in use
	groups  sync.Pool
	work    func(*seat, *group) // computes a group, and those that wait by then
	watch   watch
	idle    *time.Timer
	closed  bool
	drained chan struct{} // closed when the last seat is back after Close
}

// enter has a call join a group. It returns the group and a seat if the call is to compute it. Otherwise it returns
// when the call has an answer or an error of its own.
func (d *dispatcher) enter(c *call) (*group, *seat, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return nil, nil, ErrClosed
	}
	g := d.joinable(c)
	switch {
	case len(d.free) == 0:
	case g == nil && (d.o.MaxDelay == 0 || c.rows >= d.o.MaxBatch):
		g = d.newGroup(c)
		d.joining = append(d.joining, g)
		defer d.mu.Unlock()
		return g, d.take(g), nil
	case g != nil && !g.led && g.rows+c.rows >= d.o.MaxBatch:
		g.join(c)
		defer d.mu.Unlock()
		return g, d.take(g), nil
	}
	if d.rows > 0 && d.rows+c.rows > d.o.MaxQueue {
		d.mu.Unlock()
		return nil, nil, ErrOverloaded
	}
	if g == nil {
		g = d.newGroup(c)
		d.joining = append(d.joining, g)
	} else {
		g.join(c)
	}
	g.waiting += c.rows
	d.rows += c.rows
	d.watchLater(0)
	g.wait(d, c)
	return nil, nil, nil
}

// mostSearched limits the groups of other shapes that a call is compared with.
const mostSearched = 64

// joinable returns the first group that a call can join; nil if there is none.
func (d *dispatcher) joinable(c *call) *group {
	for _, g := range d.joining[:min(len(d.joining), mostSearched)] {
		if g.takes(c, d.o.MaxBatch) {
			return g
		}
	}
	return nil
}

// take takes a free seat for a group: the one that was used last, whose memory is warm.
func (d *dispatcher) take(g *group) *seat {
	g.led = true
	last := len(d.free) - 1
	s := d.free[last]
	d.free = d.free[:last]
	d.running++
	return s
}

// size returns the number of a group's examples so far.
func (d *dispatcher) size(g *group) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return g.rows
}

// seal ends the time in which calls can join a group.
func (d *dispatcher) seal(g *group) {
	d.mu.Lock()
	defer d.mu.Unlock()
	at := slices.Index(d.joining, g)
	d.joining = slices.Delete(d.joining, at, at+1)
	d.rows -= g.waiting
	g.staying.Store(int32(len(g.calls)))
}

// start has goroutines compute groups that may begin, as far as there are seats.
func (d *dispatcher) start() {
	for len(d.free) > 0 {
		g := d.next()
		if g == nil {
			return
		}
		go d.work(d.take(g), g)
	}
}

// next returns the first group that may begin; nil if there is none.
func (d *dispatcher) next() *group {
	for _, g := range d.joining {
		if !g.led && (d.o.MaxDelay == 0 || g.due || d.closed || g.rows >= d.o.MaxBatch) {
			return g
		}
	}
	return nil
}

// release returns the next group for a seat. If there is none, the seat becomes free.
func (d *dispatcher) release(s *seat) *group {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g := d.next(); g != nil {
		g.led = true
		return g
	}
	d.running--
	d.free = append(d.free, s)
	d.tidyLater(s)
	d.drain()
	return nil
}

// drain tells Close that nothing is under way.
func (d *dispatcher) drain() {
	if d.closed && d.running == 0 && len(d.joining) == 0 {
		close(d.drained)
	}
}

// Waiting returns the number of examples that wait for their computation.
func (d *dispatcher) Waiting() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rows
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
