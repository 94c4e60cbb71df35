package coordination

import (
	"fmt"
	"slices"
)

// A gathering adds up what each participant gives, in a tree over their places in the list: level 0 is what they give
// themselves, and node j of level l+1 is the sum, in order, of the nodes j·group … of level l. The owner of a node is
// the owner of its first place; the last node goes to the coordinator. So the order of additions depends on the number
// of participants and on group only.
type gathering struct {
	id     uint64 // the position of its entry
	shares []uint32
	takes  []bool // by partition: it is one of the shares
	group  int
	round  bool
	number uint32
}

func (g *gathering) what() string {
	if g.round {
		return fmt.Sprintf("its share of round %d", g.number)
	}
	return "its report"
}

// treeShape is what both sides know of a gathering's tree.
type treeShape struct{ places, group int }

// count is the number of nodes of a level.
func (t treeShape) count(level int) int {
	n := t.places
	for range level {
		n = (n + t.group - 1) / t.group
	}
	return n
}

// span is how many places lie under a node of a level, where it is not the last.
func (t treeShape) span(level int) int {
	n := 1
	for range level {
		n *= t.group
		if n >= t.places {
			return max(1, t.places)
		}
	}
	return n
}

// top is the level with one node.
func (t treeShape) top() int {
	l := 0
	for t.count(l) > 1 {
		l++
	}
	return l
}

// owner is the place that owns a node.
func (t treeShape) owner(level, index int) int { return index * t.span(level) }

// target is the place to which what begins at a place goes at last; its own for the first, whose sum goes to the
// coordinator.
func (t treeShape) target(place int) int {
	for l, i := 0, place; ; l, i = l+1, i/t.group {
		if i == 0 {
			return 0
		}
		if at := t.owner(l+1, i/t.group); at != place {
			return at
		}
	}
}

// startRound is the driver's command.
func (c *Coordinator) startRound(r *Round) {
	if err := c.checkRound(r); err != nil {
		c.fail(err)
		return
	}
	c.round = r
	c.enter(mustering)
}

func (c *Coordinator) checkRound(r *Round) error {
	if c.phase != idle {
		return fmt.Errorf("gradient sharing: round %d was to begin while the coordinator is %v", r.Round, c.phase)
	}
	if len(r.Shares) == 0 || r.Group < 2 {
		return fmt.Errorf("gradient sharing: round %d has %d shares in groups of %d: there must be a share, and groups of 2", r.Round, len(r.Shares), r.Group)
	}
	seen := make([]bool, c.conf.Partitions)
	for _, s := range r.Shares {
		if int(s) >= len(seen) || seen[s] {
			return fmt.Errorf("gradient sharing: round %d has a share of partition %d, of %d, or has it twice", r.Round, s, c.conf.Partitions)
		}
		seen[s] = true
	}
	return nil
}

// gatherRound puts the round that waited into the log.
func (c *Coordinator) gatherRound() {
	r := c.round
	c.agreed = false
	e := &Entry{Kind: RoundEntry, Epoch: r.Round, Payload: r.Start, Shares: r.Shares, Group: uint32(r.Group)}
	if s := &c.sum; s.part != nil && string(r.Start) == string(s.part.Payload) { // who gave it needs not be sent it
		e.Peer, e.Seq = s.by, s.part.Gather
	}
	c.beginAt(e)
	c.enter(adding)
	c.begun(&gathering{id: c.log.head(), shares: r.Shares, group: r.Group, round: true, number: r.Round})
}

// startSettle is the driver's command.
func (c *Coordinator) startSettle(group int) {
	if c.phase != idle || group < 2 {
		c.fail(fmt.Errorf("gradient sharing: a settlement in groups of %d was asked for while the coordinator is %v", group, c.phase))
		return
	}
	c.settle = true
	c.gathering = &gathering{group: group}
	c.enter(mustering)
}

// gatherSettlement asks all who are there.
func (c *Coordinator) gatherSettlement() {
	g := &gathering{group: c.gathering.group}
	for _, m := range c.members {
		if m != nil && m.active {
			g.shares = append(g.shares, m.Worker)
		}
	}
	c.enter(adding)
	c.gatherReports(g)
}

func (c *Coordinator) gatherReports(g *gathering) {
	c.fresh = false
	c.append(&Entry{Kind: SettleEntry, Epoch: c.epoch, Shares: g.shares, Group: uint32(g.group)})
	g.id = c.log.head()
	c.begun(g)
}

func (c *Coordinator) begun(g *gathering) {
	c.gathering = g
	g.takes = make([]bool, c.conf.Partitions)
	for _, s := range g.shares {
		g.takes[s] = true
	}
	for _, m := range c.members {
		if m != nil {
			m.worked = c.now
		}
	}
	for place := range g.shares {
		c.target(place, nil)
	}
}

// target tells a place's owner who owns the place that it gives to; of, if not nil, limits that to pairs of which of is
// one.
func (c *Coordinator) target(place int, of *member) {
	g := c.gathering
	to := treeShape{len(g.shares), g.group}.target(place)
	from, owner := c.partitions[g.shares[place]].owner, c.partitions[g.shares[to]].owner
	if from == nil || owner == nil || from == owner || !from.active || !owner.active || of != nil && from != of && owner != of {
		return
	}
	c.send(from.link, &Target{Gather: g.id, Position: uint32(to), Peer: owner.Peer, Address: owner.address})
}

// targets tells who gives to whom, as far as a member that came is concerned.
func (c *Coordinator) targets(m *member) {
	if c.adds() {
		for place := range c.gathering.shares {
			c.target(place, m)
		}
	}
}

func (c *Coordinator) takesPart(m *member) bool {
	return slices.ContainsFunc(m.shares, func(s Share) bool { return c.gathering.takes[s.Partition] })
}

// part takes the last sum, or passes a part on between workers that do not reach each other.
func (c *Coordinator) part(m *member, p *Part) {
	g := c.gathering
	if !c.adds() || p.Gather != g.id || p.Term != c.conf.Term {
		return
	}
	t := treeShape{len(g.shares), g.group}
	m.worked = c.now
	c.moved = c.now
	if level := int(p.Level); level < t.top() && int(p.Index) < t.count(level) {
		at := t.owner(level+1, int(p.Index)/t.group)
		if o := c.partitions[g.shares[at]].owner; o != nil && o.Peer == p.To {
			c.send(o.link, p)
		}
		return
	}
	if int(p.Level) != t.top() || p.Index != 0 {
		c.violation(m, "it sent a part of no tree")
		return
	}
	if c.phase == training {
		c.hasReports(p.Payload)
		return
	}
	for _, s := range g.shares {
		c.partitions[s].ends, c.partitions[s].failures = 0, 0
	}
	c.gathering, c.settle = nil, false
	c.enter(idle)
	if g.round {
		c.round = nil
		c.sum.by, c.sum.part = m.Peer, p
		c.do(RoundDone{g.number, p.Payload})
		return
	}
	c.do(Settled{len(g.shares), p.Payload})
}

// gatheringLost begins a settlement anew without a member that died: nobody else has its state. A round waits for the
// replacement, which does the share again.
func (c *Coordinator) gatheringLost(m *member) {
	if c.phase == adding && !c.gathering.round && c.gathering.takes[m.Worker] {
		c.enter(mustering)
	}
	c.reportsLost()
}
