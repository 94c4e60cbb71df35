package sim

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/coordination"
)

// checkEpoch checks the replicas when the coordinator says that an epoch is done: all its minibatches are committed,
// each once, and the replicas agree with the reference.
func (w driver) checkEpoch(epoch uint32) {
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
	var settled []*node
	for _, n := range w.nodes {
		if w.settled(n) {
			settled = append(settled, n)
		}
	}
	w.checks += len(settled)
	if err := w.numbers.agree(w.ref, settled); err != nil {
		w.failed(fmt.Errorf("after epoch %d: %w", epoch, err))
	}
}

// settled reports whether a node's replica has the coordinator's whole log.
func (w *World) settled(n *node) bool {
	return n.alive && n.worker != nil && n.worker.Settled(w.machine.Term(), w.machine.Head())
}

// account credits a committed update to the process that sent it.
func (w driver) account(e *coordination.Entry) trackedReplica {
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
