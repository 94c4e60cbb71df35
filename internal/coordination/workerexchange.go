package coordination

import "fmt"

// Slicer is a Replica for sliced rounds. Its methods may be called during a step.
type Slicer interface {
	// Begin begins a round. over is true if the last round is over for all workers, so that they have kept its sums:
	// nobody reads the slices of its results any more, nor the sums of the round before it. If over is false, somebody
	// may still read any slice and any sum that was made before.
	Begin(over bool)
	// Cut divides the vectors of a share's result into n slices, at places that depend on their length and on n alone,
	// and returns the rest as a report. Reports are added up with Sum, like results.
	Cut(result []byte, n int) (slices [][]byte, report []byte, err error)
	// Add adds up one slice of several results, in this order.
	Add(pieces [][]byte) ([]byte, error)
	// Keep keeps the sums of all slices of a round, for Continue and Whole.
	Keep(sums [][]byte)
	// Continue is Install for a round that begins with the sums that were kept. start is the sum of the reports.
	Continue(start []byte) error
	// Whole joins the kept sums and the sum of the reports to the sum of the results.
	Whole(report []byte) ([]byte, error)
}

// workerExchange is a worker's side of the exchange in a sliced round. Each worker owns a slice of the vectors. It
// adds up that slice of all results, in the order of the gathering's tree, and gives the sum to all others. So a
// worker sends and receives less than two results, however many workers there are. When a worker has the sums of all
// slices, it gives its reports to the tree.
type workerExchange struct {
	replica Slicer
	owners  []int // by slice: the first place of the worker that owns it
	slice   int   // the worker's own one
	trained int   // own places
	reports []part
	pieces  [][]byte // by place: of the own slice
	lacking int      // pieces
	sums    [][]byte // by slice
	left    int      // sums that the worker lacks
}

// newExchange begins the exchange of a round in which the worker owns a place. It learns from the entry where the other
// workers are. The argument over is that of Slicer.Begin. If the worker has no Slicer, newExchange fails it and returns
// nil.
func newExchange(w *Worker, e *Entry, over bool) *workerExchange {
	replica, ok := w.replica.(Slicer)
	if !ok {
		w.fail(fmt.Errorf("gradient sharing: the coordinator began a sliced round, which belongs to parameter averaging"))
		return nil
	}
	replica.Begin(over)
	x := &workerExchange{replica: replica, pieces: make([][]byte, len(e.Owners)), lacking: len(e.Owners)}
	seen := map[Peer]bool{}
	for place, o := range e.Owners {
		if !seen[o.Peer] {
			seen[o.Peer] = true
			if o.Peer == w.peer {
				x.slice = len(x.owners)
			}
			x.owners = append(x.owners, place)
		}
		if o.Peer != w.peer {
			w.targets.set(w, &Target{Gather: w.gathering.id, Position: uint32(place), Peer: o.Peer, Address: o.Address})
		}
	}
	x.sums, x.left = make([][]byte, len(x.owners)), len(x.owners)
	return x
}

// cut gives each owner of a slice its piece of the result of an own place.
func (x *workerExchange) cut(w *Worker, place int, result []byte) {
	g := &w.gathering
	pieces, report, err := x.replica.Cut(result, len(x.owners))
	if err == nil && len(pieces) != len(x.owners) {
		err = fmt.Errorf("gradient sharing: a result was cut into %d slices, not %d", len(pieces), len(x.owners))
	}
	if err != nil {
		w.fail(err)
		return
	}
	x.trained++
	x.reports = append(x.reports, part{0, place, report})
	x.others(func(slice int) {
		g.send(w, x.owners[slice], &Part{Term: w.term, Gather: g.id, Index: uint32(place), Slice: uint32(slice + 1),
			Payload: pieces[slice]})
	})
	x.piece(w, place, pieces[x.slice])
	g.settle(w)
}

// others calls send with the slices of the other workers, beginning after the own one: so not all workers send to the
// first one at first.
func (x *workerExchange) others(send func(slice int)) {
	for i := 1; i < len(x.owners); i++ {
		send((x.slice + i) % len(x.owners))
	}
}

// take handles another worker's piece or sum.
func (x *workerExchange) take(w *Worker, p *Part) {
	slice := int(p.Slice) - 1
	switch {
	case slice >= len(x.owners):
	case p.Level > 0:
		x.sum(w, slice, p.Payload)
	case slice == x.slice && int(p.Index) < len(x.pieces):
		x.piece(w, int(p.Index), p.Payload)
	}
}

// piece keeps a piece of the own slice. After the last one it adds them up, and gives the sum to all other workers.
func (x *workerExchange) piece(w *Worker, place int, b []byte) {
	if x.lacking == 0 || x.pieces[place] != nil {
		return // sent again
	}
	x.pieces[place] = present(b)
	if x.lacking--; x.lacking > 0 {
		return
	}
	g := &w.gathering
	sum, err := x.total(g.shape.group)
	if err != nil {
		w.fail(err)
		return
	}
	x.pieces = nil
	x.others(func(slice int) {
		g.send(w, x.owners[slice], &Part{Term: w.term, Gather: g.id, Level: 1, Slice: uint32(x.slice + 1), Payload: sum})
	})
	x.sum(w, x.slice, sum)
}

// present makes an empty slice of bytes differ from a missing one.
func present(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// total adds up the pieces, level by level.
func (x *workerExchange) total(group int) ([]byte, error) {
	level := x.pieces
	for len(level) > 1 {
		var above [][]byte
		for from := 0; from < len(level); from += group {
			node := level[from:min(len(level), from+group)]
			sum := node[0]
			if len(node) > 1 {
				var err error
				if sum, err = x.replica.Add(node); err != nil {
					return nil, err
				}
			}
			above = append(above, sum)
		}
		level = above
	}
	return level[0], nil
}

// sum keeps the sum of a slice. After the last one, the worker's reports go up the tree.
func (x *workerExchange) sum(w *Worker, slice int, b []byte) {
	if x.sums[slice] != nil {
		return // sent again
	}
	x.sums[slice] = present(b)
	if x.left--; x.left > 0 {
		return
	}
	x.replica.Keep(x.sums)
	for _, r := range x.reports {
		w.gathering.give(w, 0, r.index, r.payload)
	}
}
