package serve

import (
	"context"
	"slices"
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
	if d.watch.set || d.rows == 0 {
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

// untilDue returns how long the next group still waits for further calls.
func (d *dispatcher) untilDue() time.Duration {
	for _, g := range d.joining {
		if !g.led && !g.due {
			return max(0, d.o.MaxDelay-time.Since(g.calls[0].came))
		}
	}
	return d.o.MaxDelay
}

// look has calls leave whose contexts have ended, and gives free seats to groups that have waited long enough.
func (d *dispatcher) look() {
	d.mu.Lock()
	defer d.mu.Unlock()
	begin, before := time.Now(), d.rows
	for _, g := range d.joining {
		if g.led { // its calls are about to be answered
			continue
		}
		d.rows -= g.leave(func(c *call) bool {
			c.err = context.Cause(c.ctx)
			return c.err != nil
		})
		g.due = d.o.MaxDelay > 0 && len(g.calls) > 0 && begin.Sub(g.calls[0].came) >= d.o.MaxDelay
	}
	d.joining = slices.DeleteFunc(d.joining, func(g *group) bool { return len(g.calls) == 0 })
	d.start()
	if d.rows < before {
		d.drain()
	}
	d.watch.set = false
	d.watchLater(time.Since(begin))
}
