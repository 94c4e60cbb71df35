package coordination

import "slices"

// workerGathering is a worker's side of a gathering.
type workerGathering struct {
	id     uint64 // 0: none
	entry  *Entry
	shape  treeShape
	mine   []int // own places
	done   int   // number of own places that have contributed
	parts  []part
	out    []outgoing
	early  []*Part // of a later gathering
	given  uint64  // the last gathering to which the worker has given all its parts
	lacks  bool
	summed [][2]int // nodes, by level and index

	exchange *workerExchange // nil unless the round is sliced
}

// part is a node's sum that waits for its neighbours' sums.
type part struct {
	level, index int
	payload      []byte
}

// outgoing is a part that goes, or went, to another place; place -1 is the coordinator.
type outgoing struct {
	to   int
	part *Part
	got  bool // the receiver has it

	detour bool // it was sent by way of the coordinator, as the direct link was not there yet
	sent   int  // how often it was sent
}

// maxEarly bounds the number of parts that are kept for a later gathering.
const maxEarly = 1 << 12

// begin joins the gathering of an entry.
func (g *workerGathering) begin(w *Worker, id uint64, e *Entry) {
	early, over := g.early, e.Kept && g.quiet()
	*g = workerGathering{id: id, entry: e, shape: treeShape{len(e.Shares), max(2, int(e.Group))}, given: g.given}
	for place, s := range e.Shares {
		if e.Kind == SettleEntry && s == w.peer.Worker || e.Kind == RoundEntry && w.owns(e, place) {
			g.mine = append(g.mine, place)
		}
	}
	if e.Sliced && len(g.mine) > 0 {
		if g.exchange = newExchange(w, e, over); g.exchange == nil {
			return
		}
	}
	for _, p := range early {
		g.take(w, p)
	}
}

// quiet reports whether no message with a slice can be on its way, once the round of the exchange is over: what
// was sent once has arrived, and a second message may not have.
func (g *workerGathering) quiet() bool {
	return g.exchange != nil && g.exchange.left == 0 &&
		!slices.ContainsFunc(g.out, func(o outgoing) bool { return o.part.Slice > 0 && o.sent > 1 })
}

// owns reports whether a place of a round is the worker's. A replacement does not own the places of a sliced round that
// began before it came.
func (w *Worker) owns(e *Entry, place int) bool {
	if e.Sliced {
		return place < len(e.Owners) && e.Owners[place].Peer == w.peer
	}
	return slices.ContainsFunc(w.conf.Shares, func(own Share) bool { return own.Partition == e.Shares[place] })
}

// nextShare trains the worker's next share of a round, unless the log has a later round.
func (g *workerGathering) nextShare(w *Worker) {
	next := g.done
	if x := g.exchange; x != nil {
		next = x.trained
	}
	if next == len(g.mine) || w.superseded() {
		return
	}
	if err := g.installStart(w); err != nil {
		w.fail(err)
		return
	}
	s := &w.steps
	s.start(w)
	s.place = g.mine[next]
	w.do(Train{ID: s.now, Round: true, Epoch: g.entry.Epoch, Partition: g.entry.Shares[s.place]})
}

// superseded reports whether the log has a round that the worker has not begun.
func (w *Worker) superseded() bool {
	for p := w.applied + 1; p <= w.log.head(); p++ {
		if w.log.at(p).Kind == RoundEntry {
			return true
		}
	}
	return false
}

func (g *workerGathering) installStart(w *Worker) error {
	if x := g.exchange; x != nil && g.entry.Kept {
		return x.replica.Continue(g.entry.Payload)
	}
	return w.replica.Install(g.entry.Payload, nil)
}

// trained contributes the result of an own place.
func (g *workerGathering) trained(w *Worker, place int, result []byte) {
	if g.exchange != nil {
		g.exchange.cut(w, place, result)
		return
	}
	g.give(w, 0, place, result)
}

// report contributes the worker's report to a settlement.
func (g *workerGathering) report(w *Worker) error {
	for _, place := range g.mine {
		payload, err := w.replica.Report(w.open, w.pending)
		if err != nil {
			return err
		}
		g.give(w, 0, place, payload)
	}
	return nil
}

// give passes a node's sum on: to the owner of the node above, which may be the worker itself, or to the coordinator.
func (g *workerGathering) give(w *Worker, level, index int, payload []byte) {
	if level == 0 {
		g.done++
	}
	to := -1
	if level < g.shape.top() {
		to = g.shape.owner(level+1, index/g.shape.group)
	} else if x := g.exchange; x != nil && g.entry.Whole {
		var err error
		if payload, err = x.replica.Whole(payload); err != nil {
			w.fail(err)
			return
		}
	}
	if to >= 0 && slices.Contains(g.mine, to) {
		g.put(w, part{level, index, payload})
	} else {
		p := &Part{Term: w.term, Gather: g.id, Level: uint32(level), Index: uint32(index), Payload: payload}
		if to < 0 && g.entry.Kind == RoundEntry && !g.entry.Sliced {
			w.sum = p
		}
		g.send(w, to, p)
	}
	g.settle(w)
}

// send sends a part to the owner of a place.
func (g *workerGathering) send(w *Worker, to int, p *Part) {
	g.out = append(g.out, outgoing{to: to, part: p})
	w.targets.hand(w, &g.out[len(g.out)-1])
}

// settle updates whether the worker lacks others' parts, and whether it has given all its own.
func (g *workerGathering) settle(w *Worker) {
	if x := g.exchange; x != nil && x.left > 0 {
		g.lacks = x.trained == len(g.mine)
		return
	}
	g.lacks = g.done == len(g.mine) && len(g.parts) > 0
	if g.done == len(g.mine) && len(g.parts) == 0 && g.given != g.id {
		g.given = g.id
		w.announced = true
	}
}

// got notes that a part has reached its target.
func (g *workerGathering) got(t *targetLink, m *Got) {
	for i := range g.out {
		o := &g.out[i]
		if p := o.part; o.to == t.place && p.Gather == m.Gather && p.Level == m.Level && p.Index == m.Index &&
			p.Slice == m.Slice {
			o.got = true
		}
	}
}

// take handles another worker's part.
func (g *workerGathering) take(w *Worker, p *Part) {
	if p.Gather > g.id {
		if len(g.early) < maxEarly {
			g.early = append(g.early, p)
		}
		return
	}
	if p.Slice > 0 {
		if x := g.exchange; x != nil && p.Gather == g.id {
			x.take(w, p)
			g.settle(w)
		}
		return
	}
	level, index := int(p.Level), int(p.Index)
	if p.Gather != g.id || level >= g.shape.top() || index >= g.shape.count(level) ||
		!slices.Contains(g.mine, g.shape.owner(level+1, index/g.shape.group)) {
		return
	}
	g.put(w, part{level, index, p.Payload})
	g.settle(w)
}

// put keeps a part. If it was the last missing part of the node above, put adds that node up.
func (g *workerGathering) put(w *Worker, p part) {
	at := func(q part) bool { return q.level == p.level && q.index == p.index }
	above := p.index / g.shape.group
	if slices.ContainsFunc(g.parts, at) || slices.Contains(g.summed, [2]int{p.level + 1, above}) {
		return // sent again
	}
	g.parts = append(g.parts, p)
	first := above * g.shape.group
	last := min(first+g.shape.group, g.shape.count(p.level))
	payloads := make([][]byte, last-first)
	n := 0
	for _, q := range g.parts {
		if q.level == p.level && q.index >= first && q.index < last {
			payloads[q.index-first] = q.payload
			n++
		}
	}
	if n < last-first {
		return
	}
	g.parts = slices.DeleteFunc(g.parts, func(q part) bool { return q.level == p.level && q.index/g.shape.group == above })
	g.summed = append(g.summed, [2]int{p.level + 1, above})
	sum := payloads[0]
	if len(payloads) > 1 {
		var err error
		if sum, err = w.replica.Sum(payloads); err != nil {
			w.fail(err)
			return
		}
	}
	g.give(w, p.level+1, above, sum)
}
