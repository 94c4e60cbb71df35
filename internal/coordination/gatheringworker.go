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
}

// maxEarly bounds the number of parts that are kept for a later gathering.
const maxEarly = 1 << 12

// begin joins the gathering of an entry.
func (g *workerGathering) begin(w *Worker, id uint64, e *Entry) {
	early := g.early
	*g = workerGathering{id: id, entry: e, shape: treeShape{len(e.Shares), max(2, int(e.Group))}, given: g.given}
	for place, s := range e.Shares {
		if e.Kind == SettleEntry && s == w.peer.Worker ||
			e.Kind == RoundEntry && slices.ContainsFunc(w.conf.Shares, func(own Share) bool { return own.Partition == s }) {
			g.mine = append(g.mine, place)
		}
	}
	for _, p := range early {
		g.take(w, p)
	}
}

// nextShare trains the worker's next share of a round.
func (g *workerGathering) nextShare(w *Worker) {
	if g.done == len(g.mine) {
		return
	}
	if err := w.replica.Install(g.entry.Payload, nil); err != nil {
		w.fail(err)
		return
	}
	s := &w.steps
	s.start(w)
	s.place = g.mine[g.done]
	w.do(Train{ID: s.now, Round: true, Epoch: g.entry.Epoch, Partition: g.entry.Shares[s.place]})
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
	p := &Part{Term: w.term, Gather: g.id, Level: uint32(level), Index: uint32(index), Payload: payload}
	to := -1
	if level < g.shape.top() {
		to = g.shape.owner(level+1, index/g.shape.group)
	}
	if to >= 0 && slices.Contains(g.mine, to) {
		g.put(w, part{level, index, payload})
	} else {
		g.out = append(g.out, outgoing{to: to, part: p})
		if to < 0 && g.entry.Kind == RoundEntry {
			w.sum = p
		}
		w.targets.hand(w, &g.out[len(g.out)-1])
	}
	g.settle(w)
}

// settle updates whether the worker lacks others' parts, and whether it has given all its own.
func (g *workerGathering) settle(w *Worker) {
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
		if o.to == t.place && o.part.Gather == m.Gather && o.part.Level == m.Level && o.part.Index == m.Index {
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
