package coordination

import "slices"

// tree decides which node feeds the log to which: the coordinator, or in a Mesh other members.
type tree struct {
	*run
	*roster
	*journal
}

// follow gives a member a parent.
func (t *tree) follow(m *member) {
	p := t.chooseParent(m)
	if m.parent != nil {
		m.parent.children--
	}
	if p != nil {
		p.children++
	}
	m.parent, m.placed = p, true
	t.refollow(m)
}

// heal gives the children of a lost member other parents. None of them goes below another one that has no place yet.
func (t *tree) heal(gone *member) {
	var orphans []*member
	for _, m := range t.members {
		if m != nil && m.parent == gone {
			m.parent, m.placed = nil, false
			orphans = append(orphans, m)
		}
	}
	for _, m := range orphans {
		t.follow(m)
	}
}

// refollow tells a member its parent, also if it is the same as before.
func (t *tree) refollow(m *member) {
	m.version++
	if m.stream != nil && m.stream.busy {
		m.unsent = m.stream.link
	}
	m.stream = nil
	f := &Follow{Version: m.version}
	if m.parent != nil {
		f.Parent, f.Address = m.parent.Peer, m.parent.address
	}
	t.send(m.link, f)
}

// rootChildren returns how many members the coordinator feeds, apart from the member but.
func (t *tree) rootChildren(but *member) int {
	n := 0
	for _, m := range t.members {
		if m != nil && m != but && m.placed && m.parent == nil {
			n++
		}
	}
	return n
}

// maxFailures is the number of parents that fail to serve a worker before the coordinator feeds it itself: perhaps no
// worker can reach another here.
const maxFailures = 3

// chooseParent returns nil, the coordinator, as long as it has room. Otherwise it returns the worker nearest to the
// coordinator that has room, can be reached, is not below m and has the entries that m lacks. If there is none, it
// returns nil.
func (t *tree) chooseParent(m *member) *member {
	if t.conf.Mode == Plain || m.failures >= maxFailures || t.rootChildren(m) < t.conf.Fanout {
		return nil
	}
	var best *member
	least := 0
	for _, p := range t.members {
		if p == nil || p == m || p.address == "" || !t.responsive(p) || p.children >= t.conf.Fanout ||
			p.start > m.received || slices.Contains(m.avoid, p.Worker) {
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

// attach begins to feed a member whose parent is the coordinator. It returns what is wrong with the request.
func (t *tree) attach(m *member, a *Attach) (wrong string) {
	if a.Version != m.version || m.parent != nil || a.Peer != m.Peer || !m.active {
		return "" // it does not know its new parent yet
	}
	if a.Received < t.log.base || a.Received > t.log.head() {
		return "the part of the log that it lacks is gone"
	}
	m.received = max(m.received, a.Received)
	m.stream = &stream{peer: m.Peer, link: m.link, next: a.Received + 1, busy: m.unsent == m.link}
	t.feed(m)
	return ""
}

// feed sends new entries to a member that the coordinator feeds.
func (t *tree) feed(m *member) {
	if m.stream != nil {
		m.stream.feed(&t.log, t.keep, t.conf.Batch, t.now, &t.outbox)
	}
}

// feedAll feeds all members.
func (t *tree) feedAll() {
	for _, m := range t.members {
		if m != nil {
			t.feed(m)
		}
	}
}

// sent continues the stream of a link that has room again.
func (t *tree) sent(l Link) {
	m := t.links[l]
	if m == nil {
		return
	}
	m.unsent = 0
	if m.stream != nil {
		m.stream.busy = false
		t.feed(m)
	}
}

// orphan finds another parent for a member, unless the parent lacks the same entries.
func (t *tree) orphan(m *member, o *Orphan) {
	if o.Version != m.version || !m.active {
		return
	}
	p := m.parent
	if p == nil {
		t.refollow(m)
		return
	}
	if !o.Unreachable && t.responsive(p) && p.received <= o.Received {
		return
	}
	m.avoid = append(m.avoid, p.Worker)
	m.failures++
	t.follow(m)
}

// rebalance moves one child away from the coordinator if it has too many.
func (t *tree) rebalance() {
	if t.conf.Mode == Plain || t.rootChildren(nil) <= t.conf.Fanout {
		return
	}
	for i := len(t.members) - 1; i >= 0; i-- {
		if m := t.members[i]; m != nil && m.active && m.parent == nil && t.responsive(m) {
			if p := t.chooseParent(m); p != nil {
				t.follow(m)
				return
			}
		}
	}
}
