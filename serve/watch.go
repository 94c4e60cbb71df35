package serve

import (
	"context"
	"time"
)

// watch examines the waiting calls from time to time. The contexts of some may have ended, and some may have waited
// long enough for others. This lets a call wait on one channel only: a select that also watches its context costs more
// than the rest of the wait.
type watch struct {
	timer *time.Timer
	set   bool
}

// The pause between two examinations of the waiting calls is at least leastPause, and at least pauses times the
// duration of one. It is shorter if a call has waited for MaxDelay before.
const (
	leastPause = 2 * time.Millisecond
	pauses     = 100
)

// watchLater schedules the next examination of the waiting calls. took is the duration of the last one. The caller
// holds the lock.
func (d *dispatcher) watchLater(took time.Duration) {
	if d.watch.set || d.queue.first == nil {
		return
	}
	d.watch.set = true
	pause := max(leastPause, pauses*took)
	if d.o.MaxDelay > 0 {
		pause = min(pause, d.untilDue())
	}
	if d.watch.timer == nil {
		d.watch.timer = time.AfterFunc(pause, d.look)
	} else {
		d.watch.timer.Reset(pause)
	}
}

// untilDue returns how long the next call still waits for others.
func (d *dispatcher) untilDue() time.Duration {
	for c := d.queue.first; c != nil; c = c.next {
		if !c.due {
			return max(0, d.o.MaxDelay-time.Since(c.came))
		}
	}
	return d.o.MaxDelay
}

// look removes the calls whose contexts have ended, and gives a free seat to a call that has waited long enough.
func (d *dispatcher) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	begin := time.Now()
	var ended []*call
	d.queue.remove(func(c *call) (take, more bool) {
		if c.err = context.Cause(c.ctx); c.err != nil {
			ended = append(ended, c)
			return true, true
		}
		c.due = d.o.MaxDelay > 0 && begin.Sub(c.came) >= d.o.MaxDelay
		return false, true
	})
	for _, c := range ended {
		c.wake <- nil
	}
	d.start()
	if ended != nil {
		d.drain()
	}
	d.watch.set = false
	d.watchLater(time.Since(begin))
}
