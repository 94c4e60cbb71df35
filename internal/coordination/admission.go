package coordination

import (
	"fmt"
	"strings"
)

// hello admits a worker, resumes a worker whose link broke, or refuses it.
func (c *Coordinator) hello(l Link, h *Hello) {
	if old := c.links[l]; old != nil {
		c.violation(old, "it greeted twice")
		return
	}
	c.ungreet(l)
	if reason := c.checkHello(h); reason != "" {
		c.refuse(l, reason, true)
		return
	}
	c.arrived(h.Nonce)
	first := h.Shares[0].Partition
	if m := c.members[first]; m != nil && h.Term == c.conf.Term && h.Incarnation == m.Incarnation && h.Nonce == m.nonce {
		c.resume(m, l)
		return
	}
	for _, s := range h.Shares {
		p := &c.partitions[s.Partition]
		if p.seen && p.count != s.Minibatches {
			c.refuse(l, "its rows are not those that were there before", true)
			c.fail(fmt.Errorf("gradient sharing: partition %d had %d minibatches, and has %d with the worker that came now: "+
				"the data has changed, or its source gives rows in another order each time: persist it",
				s.Partition, p.count, s.Minibatches))
			return
		}
		if o := p.owner; o != nil && c.older(h, o) {
			c.refuse(l, fmt.Sprintf("partition %d is held by a newer process, of attempt %d; this one is of attempt %d",
				s.Partition, o.attempt, h.Attempt), true)
			return
		}
	}
	for _, s := range h.Shares {
		if o := c.partitions[s.Partition].owner; o != nil {
			c.bury(o, "another process has its partition now")
		}
	}
	if c.phase == closed {
		return
	}
	if c.living >= c.conf.Max {
		c.refuse(l, fmt.Sprintf("there are %d workers, which is the most that was asked for", c.living), false)
		return
	}
	c.admit(l, h)
}

func (c *Coordinator) admit(l Link, h *Hello) {
	before := c.committedBy(h)
	m, more := c.enrol(l, h)
	if c.opened {
		c.left += more
	}
	c.do(Admitted{m.Peer, m.Incarnation > 1, m.again && h.Term == c.conf.Term})
	if c.fresh {
		c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Committed: before, Fresh: true, Position: c.base})
		c.activate(m, c.base)
		return
	}
	c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Committed: before})
	c.askState()
}

// resume goes on with a member on a new link.
func (c *Coordinator) resume(m *member, l Link) {
	c.relink(m, l)
	c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Resumed: true})
	if !m.active {
		c.askState()
		return
	}
	c.refollow(m)
	c.targets(m)
	c.askNext() // its earlier state request may be lost
}

// broken notes that a link broke. Its member has time to come back.
func (c *Coordinator) broken(l Link) {
	if c.unlink(l) != nil {
		c.askNext()
	}
}

// violation ends an incarnation that does not keep to the protocol.
func (c *Coordinator) violation(m *member, reason string) {
	c.end(m, reason, true)
	c.failedAt(m, reason)
}

// itSaid begins the reasons that workers give.
const itSaid = "it said: "

// gaveUp ends an incarnation that has left with a reason.
func (c *Coordinator) gaveUp(m *member, reason string) {
	c.end(m, itSaid+reason, false)
	c.failedAt(m, reason)
}

// bury ends an incarnation that is dead, or given up for dead. Its uncommitted updates never will be committed.
func (c *Coordinator) bury(m *member, reason string) { c.end(m, reason, false) }

func (c *Coordinator) end(m *member, reason string, violation bool) {
	if c.members[m.Worker] != m {
		return
	}
	c.held -= len(m.held)
	hopeless := c.strike(m, reason)
	c.do(Lost{m.Peer, reason, violation, strings.HasPrefix(reason, itSaid)})
	if hopeless {
		c.fail(fmt.Errorf("gradient sharing: %d workers with partition %d ended one after the other, "+
			"and did not get any further, the last one, %v: %s", maxEnds*c.conf.Attempts, m.Worker, m.Peer, reason))
		return
	}
	c.heal(m)
	c.askNext()
	c.measure()
	c.lostReporter(m)
	c.reportsLost()
}
