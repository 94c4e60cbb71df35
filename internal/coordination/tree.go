package coordination

import "slices"

// follow gives a member a parent.
func (c *Coordinator) follow(m *member) {
	p := c.chooseParent(m)
	if m.parent != nil {
		m.parent.children--
	}
	if p != nil {
		p.children++
	}
	m.parent, m.placed = p, true
	c.refollow(m)
}

// heal gives the children of one that has ended other parents, none of them below another that has no place yet.
func (c *Coordinator) heal(gone *member) {
	var orphans []*member
	for _, m := range c.members {
		if m != nil && m.parent == gone {
			m.parent, m.placed = nil, false
			orphans = append(orphans, m)
		}
	}
	for _, m := range orphans {
		c.follow(m)
	}
}

// refollow tells a member its parent, perhaps again.
func (c *Coordinator) refollow(m *member) {
	m.version++
	if m.stream != nil && m.stream.busy {
		m.unsent = m.stream.link
	}
	m.stream = nil
	f := &Follow{Version: m.version}
	if m.parent != nil {
		f.Parent, f.Address = m.parent.Peer, m.parent.address
	}
	c.send(m.link, f)
}

// rootChildren is how many the coordinator feeds.
func (c *Coordinator) rootChildren(but *member) int {
	n := 0
	for _, m := range c.members {
		if m != nil && m != but && m.placed && m.parent == nil {
			n++
		}
	}
	return n
}

// maxFailures is after how many parents that did not serve the coordinator feeds a worker itself: it may be that nobody
// reaches anybody here.
const maxFailures = 3

// chooseParent is the coordinator as long as it has room, else the worker nearest to it that has: one that can be
// reached, is not below m and has what m lacks. Where there is none, it is the coordinator all the same.
func (c *Coordinator) chooseParent(m *member) *member {
	if c.conf.Mode == Plain || m.failures >= maxFailures || c.rootChildren(m) < c.conf.Fanout {
		return nil
	}
	var best *member
	least := 0
	for _, p := range c.members {
		if p == nil || p == m || p.address == "" || !c.responsive(p) || p.children >= c.conf.Fanout || p.start > m.received || slices.Contains(m.avoid, p.Worker) {
			continue
		}
		d, below := 0, false
		for q := p; q != nil; q = q.parent {
			d++
			below = below || q == m || !q.placed
		}
		if !below && (best == nil || d < least) {
			best, least = p, d
		}
	}
	return best
}

// attach begins to feed a member whose parent the coordinator is.
func (c *Coordinator) attach(m *member, a *Attach) {
	if a.Version != m.version || m.parent != nil || a.Peer != m.Peer || !m.active {
		return // it does not know its new parent yet
	}
	if a.Received < c.log.base || a.Received > c.log.head() {
		c.violation(m, "the part of the log that it lacks is gone")
		return
	}
	m.received = max(m.received, a.Received)
	m.stream = &stream{peer: m.Peer, link: m.link, next: a.Received + 1, busy: m.unsent == m.link}
	m.stream.feed(&c.log, c.keep, c.conf.Batch, c.now, &c.outbox)
}

// orphan finds another parent for a member, unless the parent lacks the same.
func (c *Coordinator) orphan(m *member, o *Orphan) {
	if o.Version != m.version || !m.active {
		return
	}
	p := m.parent
	if p == nil {
		c.refollow(m)
		return
	}
	if !o.Unreachable && c.responsive(p) && p.received <= o.Received {
		return
	}
	m.avoid = append(m.avoid, p.Worker)
	m.failures++
	c.follow(m)
}

// rebalance takes one child from a coordinator that has too many.
func (c *Coordinator) rebalance() {
	if c.conf.Mode == Plain || c.rootChildren(nil) <= c.conf.Fanout {
		return
	}
	for i := len(c.members) - 1; i >= 0; i-- {
		if m := c.members[i]; m != nil && m.active && m.parent == nil && c.responsive(m) {
			if p := c.chooseParent(m); p != nil {
				c.follow(m)
				return
			}
		}
	}
}
