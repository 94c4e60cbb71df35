package sim

import (
	"fmt"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

// checkEpoch runs when the coordinator says that an epoch is done: all its minibatches are committed, each once, and the
// replicas agree with the reference.
func (w *World) checkEpoch(epoch uint32) {
	seen := map[[2]uint32]bool{}
	ids := map[[4]uint64]bool{}
	for _, c := range w.history {
		e := c.entry
		id := [4]uint64{uint64(c.term), uint64(e.Peer.Worker), uint64(e.Peer.Incarnation), e.Seq}
		if ids[id] {
			w.failed(fmt.Errorf("update %d of %v is committed twice", e.Seq, e.Peer))
		}
		ids[id] = true
		if e.Epoch != epoch {
			continue
		}
		at := [2]uint32{e.Partition, e.Ordinal}
		if seen[at] {
			w.failed(fmt.Errorf("minibatch %d of partition %d is committed twice in epoch %d", e.Ordinal, e.Partition, epoch))
		}
		seen[at] = true
	}
	for p := range w.s.Config.Partitions {
		for o := range w.minibatches(p) {
			if !seen[[2]uint32{uint32(p), uint32(o)}] {
				w.failed(fmt.Errorf("minibatch %d of partition %d is not committed in epoch %d", o, p, epoch))
			}
		}
	}
	if count := uint64(len(w.history)); w.ref.model.count != count {
		w.failed(fmt.Errorf("the reference has %d updates, %d are committed", w.ref.model.count, count))
	}
	for _, n := range w.nodes {
		if n.alive && n.worker != nil && n.worker.Settled(w.machine.Term(), w.machine.Head()) {
			w.checks++
			if n.replica.model != w.ref.model {
				w.failed(fmt.Errorf("node %d has %+v after epoch %d, the reference %+v", n.id, n.replica.model, epoch, w.ref.model))
			}
		}
	}
}

// account credits a committed update to the process that sent it.
func (w *World) account(e *gradshare.Entry) *toy {
	for _, n := range w.nodes {
		if n.worker == nil {
			continue
		}
		if term, p := n.worker.Identity(); term == w.term && p == e.Peer {
			n.replica.commits(e, w.term)
			return n.replica
		}
	}
	w.failed(fmt.Errorf("update %d of %v is committed, whom nobody is", e.Seq, e.Peer))
	return nil
}

// checkEnd runs at the end: what steps have given is applied, in residuals, clipped, or counted as lost.
func (w *World) checkEnd() {
	var made, clipped, residual, dropped, sent, applied vector
	for _, n := range w.nodes {
		if r := n.replica; r != nil {
			made.add(r.made, 1)
			clipped.add(r.clipped, 1)
			residual.add(r.residual, 1)
			dropped.add(r.dropped, 1)
			sent.add(r.sent, 1)
			open := r.sent
			open.add(r.committed, -1)
			open.add(r.abandoned, -1)
			open.add(r.rolledBack, -1)
			if n.alive && n.worker.Settled(w.machine.Term(), w.machine.Head()) && open != (vector{}) {
				w.failed(fmt.Errorf("node %d sent %v, of which %v are committed and %v abandoned", n.id, r.sent, r.committed, r.abandoned))
			}
		}
	}
	for _, c := range w.history {
		v, err := decode(c.entry.Payload)
		if err != nil {
			w.failed(err)
		}
		applied.add(v, threshold)
	}
	lost := sent // what was sent and is not committed, or was rolled back
	lost.add(applied, -1)
	total := applied
	for _, v := range []vector{residual, clipped, dropped, lost} {
		total.add(v, 1)
	}
	if total != made {
		w.failed(fmt.Errorf("conservation: steps gave %v; applied %v, residual %v, clipped %v, dropped %v, lost %v", made, applied, residual, clipped, dropped, lost))
	}
	start := vector{}
	start.add(applied, -1)
	if w.s.Epochs > 0 && w.ended == nil && w.ref.model.params != start {
		w.failed(fmt.Errorf("the reference is at %v, the committed updates lead to %v", w.ref.model.params, start))
	}
}
