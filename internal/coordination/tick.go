package coordination

// tick checks all waits.
func (c *Coordinator) tick() {
	t := &c.conf.Timing
	if gap := c.now - c.ticked; gap > t.Quiet {
		c.wasAway(gap)
	}
	c.ticked = c.now
	c.closeIdle()
	for _, m := range c.members {
		if m != nil {
			if reason := c.overdue(m); reason != "" {
				c.bury(m, reason)
			}
		}
	}
	switch {
	case c.ask.open && c.now-c.ask.since > t.State:
		c.askNext()
	case c.complete() && !c.ask.open:
		c.askState()
	}
	c.reportsLost()
	c.forget()
	pulse := &Pulse{c.log.head(), c.keep, uint64(c.conf.Lag*max(1, c.living)/4 + 1)}
	for _, m := range c.members {
		if m != nil {
			c.send(m.link, pulse)
		}
	}
	c.measure()
	c.rebalance()
	c.dueSave()
	c.deadlines()
}

// wasAway moves all waits forward by a gap in which the coordinator itself did not run: a process that was stopped, a
// machine that slept. Messages of that time may come after this tick.
func (c *Coordinator) wasAway(gap Time) {
	c.since, c.moved, c.ask.since = c.since+gap, c.moved+gap, c.ask.since+gap
	for i := range c.greeting {
		c.greeting[i].since += gap
	}
	for i := range c.partitions {
		c.partitions[i].absent += gap
	}
	for _, m := range c.members {
		if m != nil {
			m.heard, m.broken, m.worked = c.now, m.broken+gap, m.worked+gap
		}
	}
}

// forget trims the log. If the log is too long, silent members lose their place and must join again.
func (c *Coordinator) forget() {
	if c.log.bytes > c.conf.Retain {
		for _, m := range c.members {
			if m != nil && m.active && !c.responsive(m) {
				c.bury(m, "too much of the log is kept for it")
			}
		}
	}
	c.trim()
}

// deadlines ends a run that cannot go on, and reports one that makes no progress.
func (c *Coordinator) deadlines() {
	if c.phase == idle || c.phase == closed {
		return
	}
	t := &c.conf.Timing
	waited := &DeadlineError{c.phase.String(), c.now - c.moved, nil}
	switch {
	case !c.came:
		c.untilFirst()
	case c.phase == mustering && c.now-c.since > t.Join:
		if c.living > 0 {
			c.do(Missing{c.missing()})
		}
		waited.Awaited = c.awaited()
		c.fail(waited)
	case len(c.absent()) > 0:
		waited.Awaited = c.awaited()
		c.endShort(waited)
	case c.now-c.moved > 2*max(t.Step, t.Absence, t.Join): // for any other cause
		waited.Awaited = c.awaited()
		c.fail(waited)
	default:
		c.short = nil // the missing workers came after all
		if c.now-c.moved > t.Stall && c.now-c.told > t.Stall {
			c.told = c.now
			c.do(Stalled{c.phase.String(), c.now - c.moved, c.awaited()})
		}
	}
}

// patience is how many times longer than usual a silence may last before the first worker has come.
const patience = 6

// untilFirst checks the deadlines before the first worker has come.
func (c *Coordinator) untilFirst() {
	t, waited := &c.conf.Timing, c.now-c.since
	switch {
	case waited > t.Begin:
		c.fail(&DeadlineError{c.phase.String(), waited, c.awaited()})
	case waited > patience*t.Stall && c.now-c.told > patience*t.Stall:
		c.told = c.now
		c.do(Stalled{"waiting for the first worker: the engine moves the rows, or has no free slot", waited, c.awaited()})
	}
}
