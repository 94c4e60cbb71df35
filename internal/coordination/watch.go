package coordination

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Awaited is one of those that a run waits for.
type Awaited struct {
	Partition uint32
	Peer      Peer // Incarnation 0: nobody holds the partition
	For       string
	Waited    time.Duration
}

// Stalled is the action that tells of a run without progress. It comes again while that lasts.
type Stalled struct {
	Phase   string
	Waited  time.Duration
	Awaited []Awaited
}

func (s Stalled) String() string {
	var names []string
	for _, a := range s.Awaited {
		names = append(names, a.String())
	}
	return fmt.Sprintf("%s: no progress for %v; awaited: %s", s.Phase, tenths(s.Waited), strings.Join(names, "; "))
}

func (a Awaited) String() string {
	if a.Peer.Incarnation == 0 {
		return fmt.Sprintf("somebody with partition %d, for %v, for %s", a.Partition, tenths(a.Waited), a.For)
	}
	return fmt.Sprintf("%v, for %v, for %s", a.Peer, tenths(a.Waited), a.For)
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// DeadlineError ends a run that waited too long.
type DeadlineError struct {
	Phase   string
	Waited  time.Duration // since the last progress
	Awaited []Awaited
}

func (e *DeadlineError) Error() string {
	return "gradient sharing: waited too long: " + Stalled{e.Phase, e.Waited, e.Awaited}.String()
}

// tick looks at every wait.
func (c *Coordinator) tick() {
	t := &c.conf.Timing
	if gap := c.now - c.ticked; gap > t.Quiet {
		c.wasAway(gap)
	}
	c.ticked = c.now
	for _, g := range slices.Clone(c.greeting) {
		if c.now-g.since > t.Greet {
			c.ungreet(g.link)
			c.close(g.link)
		}
	}
	for len(c.greeting) > maxGreeting {
		c.close(c.greeting[0].link)
		c.greeting = c.greeting[1:]
	}
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
	case c.wantSave && !c.ask.open && (c.reports != nil || !c.reportsFirst()):
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
	if every := c.conf.Checkpoint; every > 0 && c.now-c.saved >= every && c.sinceSave > 0 && c.phase == training && !c.wantSave {
		c.saveNow()
	}
	c.deadlines()
}

// wasAway forgives everybody the time in which it was the coordinator that did not run: a process that was stopped, a
// machine that slept. What was sent to it meanwhile may come after this tick.
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

// overdue says why a member is dead.
func (c *Coordinator) overdue(m *member) string {
	t := &c.conf.Timing
	switch {
	case m.link == 0 && c.now-m.broken > t.Reconnect:
		return fmt.Sprintf("its link broke, and it did not come back within %v", t.Reconnect)
	case c.now-m.heard > t.Silence:
		return fmt.Sprintf("nothing was heard of it for %v", t.Silence)
	case m.active && c.now-m.worked > t.Step && c.owes(m) != "":
		return fmt.Sprintf("it did not get %s done within %v", c.owes(m), t.Step)
	}
	return ""
}

// owes says what a member has to do; "" for nothing.
func (c *Coordinator) owes(m *member) string {
	switch c.phase {
	case training:
		if c.gathering != nil && c.takesPart(m) && m.beat.Gathered < c.gathering.id {
			return c.owesReport(m)
		}
		if len(m.held) > 0 {
			return ""
		}
		if s := c.unfinished(m); s != nil {
			return fmt.Sprintf("minibatch %d of partition %d", c.partitions[s.Partition].next, s.Partition)
		}
	case draining:
		if m.applied < c.log.head() {
			return "the application of the epoch's last updates"
		}
	case adding:
		if m.beat.Gathered < c.gathering.id && c.takesPart(m) {
			return c.owesReport(m)
		}
	}
	return ""
}

// owesReport says what a gathering wants of a member that has not given all.
func (c *Coordinator) owesReport(m *member) string {
	if m.beat.Lacks {
		return "" // others owe
	}
	return c.gathering.what()
}

// forget trims the log to what somebody may ask for. Who is not there has to join anew when it gets too long.
func (c *Coordinator) forget() {
	if c.log.bytes > c.conf.Retain {
		for _, m := range c.members {
			if m != nil && m.active && !c.responsive(m) {
				c.bury(m, "too much of the log is kept for it")
			}
		}
	}
	c.keep = c.log.head() + 1
	if c.fresh {
		c.keep = c.base + 1
	}
	for _, m := range c.members {
		if m != nil && m.active {
			c.keep = min(c.keep, m.applied+1)
		}
	}
	c.log.trim(c.keep)
}

// beforehand is how many times longer a silence is borne before anybody has come.
const beforehand = 6

// deadlines ends a run that cannot go on, and tells of one that does not.
func (c *Coordinator) deadlines() {
	t := &c.conf.Timing
	if c.phase == idle || c.phase == closed {
		return
	}
	if !c.came {
		if c.now-c.since > t.Begin {
			c.fail(&DeadlineError{c.phase.String(), c.now - c.since, c.awaited()})
		} else if c.now-c.since > beforehand*t.Stall && c.now-c.told > beforehand*t.Stall {
			c.told = c.now
			c.do(Stalled{"waiting for the first worker: the engine moves the rows, or has no free slot", c.now - c.since, c.awaited()})
		}
		return
	}
	if c.phase == mustering && c.now-c.since > t.Join {
		if c.living > 0 {
			c.do(Missing{c.missing()})
		}
		c.fail(&DeadlineError{c.phase.String(), c.now - c.moved, c.awaited()})
		return
	}
	if len(c.absent()) > 0 {
		c.endShort(&DeadlineError{c.phase.String(), c.now - c.moved, c.awaited()})
		return
	}
	c.short = nil // somebody came after all
	if c.now-c.moved > 2*max(t.Step, t.Absence, t.Join) {
		c.fail(&DeadlineError{c.phase.String(), c.now - c.moved, c.awaited()}) // whoever it is that nothing else noticed
		return
	}
	if c.now-c.moved > t.Stall && c.now-c.told > t.Stall {
		c.told = c.now
		c.do(Stalled{c.phase.String(), c.now - c.moved, c.awaited()})
	}
}

// needed is the partitions that must have a worker now.
func (c *Coordinator) needed() []uint32 {
	var all []uint32
	switch {
	case c.phase == adding:
		return c.gathering.shares
	case c.phase == training:
		for i := range c.partitions {
			if p := &c.partitions[i]; !p.seen || p.next < p.count {
				all = append(all, uint32(i))
			}
		}
	}
	return all
}

// awaited names those without whom there is no progress.
func (c *Coordinator) awaited() []Awaited {
	var all []Awaited
	for _, i := range c.needed() {
		if p := &c.partitions[i]; p.owner == nil {
			all = append(all, Awaited{i, Peer{}, "its minibatches", c.now - max(p.absent, c.since)})
		}
	}
	for _, m := range c.members {
		switch {
		case m == nil:
		case !m.active:
			all = append(all, Awaited{m.Worker, m.Peer, "its beginning", c.now - m.heard})
		case m.link == 0:
			all = append(all, Awaited{m.Worker, m.Peer, "its link to come back", c.now - m.broken})
		case c.owes(m) != "":
			all = append(all, Awaited{m.Worker, m.Peer, c.owes(m), c.now - m.worked})
		case c.held > 0 && m.applied < c.log.head():
			all = append(all, Awaited{m.Worker, m.Peer, fmt.Sprintf("the application of the log from position %d on", m.applied+1), c.now - m.worked})
		case c.adds() && c.takesPart(m) && (m.beat.Lacks || m.Worker == c.gathering.shares[0]):
			all = append(all, Awaited{m.Worker, m.Peer, "the sum of its own and its neighbours' parts", c.now - m.worked})
		}
	}
	if c.phase == mustering {
		for i := range c.partitions {
			if p := &c.partitions[i]; p.owner == nil {
				all = append(all, Awaited{uint32(i), Peer{}, "the beginning", c.now - c.since})
			}
		}
	}
	return all
}
