package coordination

import (
	"fmt"
	"slices"
	"strings"
)

// greeting is a link on which no Hello has come yet.
type greeting struct {
	link  Link
	since Time
}

// maxGreeting bounds the links on which nobody has said who they are.
const maxGreeting = 4096

func (c *Coordinator) refuse(l Link, reason string, final bool) {
	c.ungreet(l)
	c.send(l, &Refuse{reason, final})
	c.close(l)
}

func (c *Coordinator) ungreet(l Link) {
	c.greeting = slices.DeleteFunc(c.greeting, func(g greeting) bool { return g.link == l })
}

// hello admits a worker, lets one go on whose link broke, or refuses.
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
	if c.arrivals[h.Nonce] == 0 {
		c.arrivals[h.Nonce] = len(c.arrivals) + 1
	}
	first := h.Shares[0].Partition
	if m := c.members[first]; m != nil && h.Term == c.conf.Term && h.Incarnation == m.Incarnation && h.Nonce == m.nonce {
		c.resume(m, l)
		return
	}
	for _, s := range h.Shares {
		p := &c.partitions[s.Partition]
		if p.seen && p.count != s.Minibatches {
			c.refuse(l, "its rows are not those that were there before", true)
			c.fail(fmt.Errorf("gradient sharing: partition %d had %d minibatches, and has %d with the worker that came now: the data has changed, or its source gives rows in another order each time: persist it",
				s.Partition, p.count, s.Minibatches))
			return
		}
		if o := p.owner; o != nil && c.older(h, o) {
			c.refuse(l, fmt.Sprintf("partition %d is held by a newer process, of attempt %d; this one is of attempt %d", s.Partition, o.attempt, h.Attempt), true)
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

// older says whether a process is older than a partition's owner: its attempt is lower, or the same and it came
// first. When an executor is lost, Spark may repeat tasks that still run elsewhere, under their old numbers. A
// process never takes over from its replacement. Clocks of machines don't count.
func (c *Coordinator) older(h *Hello, o *member) bool {
	if h.Attempt != o.attempt {
		return h.Attempt < o.attempt
	}
	return c.arrivals[h.Nonce] < c.arrivals[o.nonce]
}

func (c *Coordinator) checkHello(h *Hello) string {
	if h.Job != c.conf.Job {
		return "it belongs to another job"
	}
	if len(h.Shares) == 0 {
		return "it holds no partition"
	}
	last := -1
	for _, s := range h.Shares {
		if int(s.Partition) <= last {
			return "its partitions are not in rising order"
		}
		if last = int(s.Partition); last >= c.conf.Partitions {
			return fmt.Sprintf("it holds partition %d of %d", last, c.conf.Partitions)
		}
	}
	return ""
}

func (c *Coordinator) admit(l Link, h *Hello) {
	first := h.Shares[0].Partition
	c.incarnations[first]++
	m := &member{Peer: Peer{first, c.incarnations[first]}, nonce: h.Nonce, attempt: h.Attempt, shares: h.Shares, address: h.Address,
		link: l, heard: c.now, worked: c.now}
	for _, s := range h.Shares {
		p := &c.partitions[s.Partition]
		if !p.seen {
			p.seen, p.count = true, s.Minibatches
			c.unseen--
			if c.opened {
				c.left += int(p.count)
			}
		}
		p.owner = m
	}
	m.life = &Life{Term: c.conf.Term, Peer: m.Peer}
	before := c.committedBy(h)
	c.lives = append(c.lives, m.life)
	c.members[first], c.links[l] = m, m
	c.living++
	if !c.came {
		c.came, c.since = true, c.now // from now on others are waited for
	}
	c.moved = c.now
	c.do(Admitted{m.Peer, m.Incarnation > 1})
	if c.fresh {
		c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Committed: before, Fresh: true, Position: c.base})
		c.activate(m, c.base)
		return
	}
	c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Committed: before})
	c.askState()
}

// Life is how many updates of an incarnation are committed.
type Life struct {
	Term uint32
	Peer Peer
	Seq  uint64
}

// committedBy tells a process how many updates of its last life count.
func (c *Coordinator) committedBy(h *Hello) uint64 {
	last := Peer{h.Shares[0].Partition, h.Incarnation}
	for i := len(c.lives) - 1; i >= 0; i-- {
		if l := c.lives[i]; l.Peer == last && l.Term == h.Term {
			return l.Seq
		}
	}
	return 0
}

// activate makes a member of those who have parameters: those behind a position of the log.
func (c *Coordinator) activate(m *member, position uint64) {
	m.active, m.start, m.received, m.applied = true, position, position, position
	m.worked = c.now
	c.follow(m)
	c.targets(m)
	c.measure()
}

// resume goes on with a member on a new link.
func (c *Coordinator) resume(m *member, l Link) {
	if m.link != 0 {
		delete(c.links, m.link)
		c.close(m.link)
	}
	m.link, m.heard, m.stream = l, c.now, nil
	c.links[l] = m
	c.send(l, &Welcome{Term: c.conf.Term, Peer: m.Peer, Resumed: true})
	if !m.active {
		c.askState()
		return
	}
	c.refollow(m)
	c.targets(m)
	c.askNext() // what it was asked before may be lost
}

// broken gives a member time to come back.
func (c *Coordinator) broken(l Link) {
	c.ungreet(l)
	m := c.links[l]
	if m == nil {
		return
	}
	delete(c.links, l)
	m.link, m.broken, m.stream = 0, c.now, nil
	c.askNext()
}

// violation ends an incarnation that does not keep to the protocol.
func (c *Coordinator) violation(m *member, reason string) {
	c.end(m, reason, true)
	c.failedAt(m, reason)
}

// itSaid begins the reasons that workers give.
const itSaid = "it said: "

// gaveUp ends an incarnation that says why.
func (c *Coordinator) gaveUp(m *member, reason string) {
	c.end(m, itSaid+reason, false)
	c.failedAt(m, reason)
}

// failedAt counts an end of which the reason is likely to come again, and ends the run when it has.
func (c *Coordinator) failedAt(m *member, reason string) {
	for _, s := range m.shares {
		p := &c.partitions[s.Partition]
		if p.failures++; p.failures >= c.conf.Attempts {
			c.fail(fmt.Errorf("gradient sharing: partition %d failed %d times at minibatch %d, the last time with %v: %s", s.Partition, p.failures, p.next, m.Peer, reason))
			return
		}
	}
}

// maxEnds is how many incarnations in a row, times Config.Attempts, may end without having committed anything.
const maxEnds = 8

// bury ends an incarnation that is dead, or given up for dead. What it has not committed never will be.
func (c *Coordinator) bury(m *member, reason string) { c.end(m, reason, false) }

func (c *Coordinator) end(m *member, reason string, violation bool) {
	if c.members[m.Worker] != m {
		return
	}
	c.members[m.Worker] = nil
	c.living--
	c.held -= len(m.held)
	m.held = nil
	hopeless := false
	for _, s := range m.shares {
		p := &c.partitions[s.Partition]
		p.owner, p.absent = nil, c.now
		if c.phase == adding || c.phase == training && p.next < p.count {
			p.ends++
			hopeless = hopeless || p.ends >= maxEnds*c.conf.Attempts
		}
	}
	if m.link != 0 {
		delete(c.links, m.link)
		c.send(m.link, &Bye{Reason: reason})
		c.close(m.link)
	}
	if m.parent != nil {
		m.parent.children--
	}
	c.moved = c.now
	c.do(Lost{m.Peer, reason, violation, strings.HasPrefix(reason, itSaid)})
	if hopeless {
		c.fail(fmt.Errorf("gradient sharing: %d workers with partition %d ended one after the other, and did not get any further, the last one, %v: %s",
			maxEnds*c.conf.Attempts, m.Worker, m.Peer, reason))
		return
	}
	c.heal(m)
	c.askNext()
	c.measure()
	c.gatheringLost(m)
}

// responsive says whether a member is there to be waited for.
func (c *Coordinator) responsive(m *member) bool {
	return m.active && m.link != 0 && c.now-m.heard <= c.conf.Timing.Quiet
}
