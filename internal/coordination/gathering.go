package coordination

import (
	"fmt"
	"slices"
)

// A gathering adds up the participants' contributions, in a tree over their places in the list. Level 0 is the
// contributions, and node j of level l+1 is the sum, in order, of the nodes j·group … of level l. The owner of a node
// is the owner of its first place. The last node goes to the coordinator. So the order of additions depends only on the
// number of participants and on group.
type gathering struct {
	id     uint64 // the position of its entry
	shares []uint32
	takes  []bool // by partition: it is one of the shares
	group  int
	round  bool
	sliced bool // see Round
	number uint32
}

func (g *gathering) what() string {
	if g.round {
		return fmt.Sprintf("its share of round %d", g.number)
	}
	return "its report"
}

// treeShape is the shape of a gathering's tree, the same for the coordinator and the workers.
type treeShape struct{ places, group int }

// count returns the number of nodes of a level.
func (t treeShape) count(level int) int {
	n := t.places
	for range level {
		n = (n + t.group - 1) / t.group
	}
	return n
}

// span returns how many places lie under a node of a level. The last node of a level may have fewer.
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

// top returns the level with one node.
func (t treeShape) top() int {
	l := 0
	for t.count(l) > 1 {
		l++
	}
	return l
}

// owner returns the place that owns a node.
func (t treeShape) owner(level, index int) int { return index * t.span(level) }

// target returns the place that receives the last sum of a place. For the first place, it is that place itself: its sum
// goes to the coordinator.
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

// gatherings is the round or settlement that is under way or waits for workers.
type gatherings struct {
	*run
	*roster
	*journal
	*epochs
	round     *Round // asked for and not ended
	settle    bool   // a settlement was asked for and has not ended
	gathering *gathering
	last      struct { // sum of the rounds, and its sender
		by   Peer
		part *Part
	}
	kept bool // the workers have kept the sum of the last round, and all of them live
}

// askRound accepts the driver's command, or returns an error if it is wrong.
func (g *gatherings) askRound(r *Round) error {
	if g.phase != idle {
		return fmt.Errorf("gradient sharing: round %d was to begin while the coordinator is %v", r.Round, g.phase)
	}
	if len(r.Shares) == 0 || r.Group < 2 {
		return fmt.Errorf("gradient sharing: round %d has %d shares in groups of %d: there must be a share, and groups of 2",
			r.Round, len(r.Shares), r.Group)
	}
	seen := make([]bool, g.conf.Partitions)
	for _, s := range r.Shares {
		if int(s) >= len(seen) || seen[s] {
			return fmt.Errorf("gradient sharing: round %d has a share of partition %d, of %d, or has it twice",
				r.Round, s, g.conf.Partitions)
		}
		seen[s] = true
	}
	if (r.Kept || r.Whole) && !r.Sliced {
		return fmt.Errorf("gradient sharing: round %d is to keep sums, and is not sliced", r.Round)
	}
	g.round = r
	return nil
}

// askSettlement accepts the driver's command, or returns an error if it is wrong.
func (g *gatherings) askSettlement(group int) error {
	if g.phase != idle || group < 2 {
		return fmt.Errorf("gradient sharing: a settlement in groups of %d was asked for while the coordinator is %v",
			group, g.phase)
	}
	g.settle = true
	g.gathering = &gathering{group: group}
	return nil
}

// roundEntry returns the entry that begins the round.
func (g *gatherings) roundEntry() *Entry {
	r := g.round
	e := &Entry{Kind: RoundEntry, Epoch: r.Round, Payload: r.Start, Shares: r.Shares, Group: uint32(r.Group)}
	e.Sliced, e.Whole, e.Kept = r.Sliced, r.Whole, r.Kept
	if r.Sliced {
		for _, s := range r.Shares {
			o := g.partitions[s].owner
			e.Owners = append(e.Owners, Owner{o.Peer, o.address})
		}
	}
	// The sender of that sum has it.
	if s := &g.last; !r.Sliced && s.part != nil && string(r.Start) == string(s.part.Payload) {
		e.Peer, e.Seq = s.by, s.part.Gather
	}
	return e
}

// beginRound begins the gathering of the round whose entry is the last of the log.
func (g *gatherings) beginRound() {
	r := g.round
	g.kept = false
	g.enter(adding)
	g.begun(&gathering{id: g.log.head(), shares: r.Shares, group: r.Group, round: true, sliced: r.Sliced,
		number: r.Round})
}

// beginSettlement asks all active members for reports.
func (g *gatherings) beginSettlement() {
	of := &gathering{group: g.gathering.group}
	for _, m := range g.members {
		if m != nil && m.active {
			of.shares = append(of.shares, m.Worker)
		}
	}
	g.enter(adding)
	g.gatherReports(of)
}

func (g *gatherings) gatherReports(of *gathering) {
	g.fresh = false
	g.append(&Entry{Kind: SettleEntry, Epoch: g.epoch, Shares: of.shares, Group: uint32(of.group)})
	of.id = g.log.head()
	g.begun(of)
}

func (g *gatherings) begun(of *gathering) {
	g.gathering = of
	of.takes = make([]bool, g.conf.Partitions)
	for _, s := range of.shares {
		of.takes[s] = true
	}
	for _, m := range g.members {
		if m != nil {
			m.worked = g.now
		}
	}
	for place := range of.shares {
		if !of.sliced { // else the entry names the owners
			g.target(place, nil)
		}
	}
}

// target tells the owner of a place who owns the place that it gives to. If only is not nil, target tells only the
// pairs that it belongs to.
func (g *gatherings) target(place int, only *member) {
	of := g.gathering
	to := treeShape{len(of.shares), of.group}.target(place)
	from, owner := g.partitions[of.shares[place]].owner, g.partitions[of.shares[to]].owner
	if from == nil || owner == nil || from == owner || !from.active || !owner.active ||
		only != nil && from != only && owner != only {
		return
	}
	g.send(from.link, &Target{Gather: of.id, Position: uint32(to), Peer: owner.Peer, Address: owner.address})
}

// targets tells a member that came, and the members that it gives to or takes from, who owns the places.
func (g *gatherings) targets(m *member) {
	if g.adds() && g.gathering.sliced {
		g.ownersAgain(m)
	} else if g.adds() {
		for place := range g.gathering.shares {
			g.target(place, m)
		}
	}
}

// adds reports whether a gathering is under way.
func (g *gatherings) adds() bool {
	return g.phase == adding || g.phase == training && g.gathering != nil
}

func (g *gatherings) takesPart(m *member) bool {
	return slices.ContainsFunc(m.shares, func(s Share) bool { return g.gathering.takes[s.Partition] })
}

// take relays a part between workers that do not reach each other. It returns whether the part is the sum of all, and
// an error text if the part belongs to no node of the tree.
func (g *gatherings) take(m *member, p *Part) (last bool, wrong string) {
	of := g.gathering
	if !g.adds() || p.Gather != of.id || p.Term != g.conf.Term {
		return false, ""
	}
	t := treeShape{len(of.shares), of.group}
	m.worked = g.now
	g.moved = g.now
	if p.Slice > 0 {
		g.relaySlice(p)
		return false, ""
	}
	if level := int(p.Level); level < t.top() && int(p.Index) < t.count(level) {
		at := t.owner(level+1, int(p.Index)/t.group)
		if o := g.partitions[of.shares[at]].owner; o != nil && o.Peer == p.To {
			g.send(o.link, p)
		}
		return false, ""
	}
	if int(p.Level) != t.top() || p.Index != 0 {
		return false, "it sent a part of no tree"
	}
	return true, ""
}

// gathered ends a round or settlement with its sum, which the member m sent.
func (g *gatherings) gathered(m *member, sum *Part) {
	of := g.gathering
	for _, s := range of.shares {
		g.partitions[s].ends, g.partitions[s].failures = 0, 0
	}
	g.gathering, g.settle = nil, false
	g.enter(idle)
	if of.round {
		g.round, g.kept = nil, of.sliced
		if !of.sliced { // else the workers have the sum, and one that lacks it may have any other
			g.last.by, g.last.part = m.Peer, sum
		}
		g.do(RoundDone{of.number, sum.Payload})
		return
	}
	g.do(Settled{len(of.shares), sum.Payload})
}

// lostReporter restarts a settlement without a member that died, as no other worker has its state. A round waits for
// the replacement, which trains the share again, unless it is sliced: then its driver repeats it.
func (g *gatherings) lostReporter(m *member) {
	g.kept = false
	if g.phase == adding && g.gathering.sliced && g.takesPart(m) {
		g.giveUpRound()
	}
	g.checkKept()
	if g.phase == adding && !g.gathering.round && g.gathering.takes[m.Worker] {
		g.enter(mustering)
	}
}
