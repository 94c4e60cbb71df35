package coordination

// Settled reports whether a worker of this term has applied the log up to head, and has neither a running step nor a
// pending update.
func (w *Worker) Settled(term uint32, head uint64) bool {
	return w.active && w.term == term && w.begin == nil && !w.steps.running() && w.applied == head && len(w.pending) == 0
}

// Identity returns the worker's term and peer; the Incarnation is 0 while it is not a member.
func (w *Worker) Identity() (term uint32, p Peer) { return w.term, w.peer }

// Member describes a worker as the coordinator knows it.
type Member struct {
	Peer    Peer
	Active  bool   // it has parameters
	Here    bool   // its link is up, and it was heard from lately
	Behind  uint64 // entries of the log that its replica lacks
	Trained int    // committed minibatches of its partitions in this epoch
	Held    int    // updates that wait for slower workers
	Parent  Peer   // the worker that feeds it; Incarnation 0: the coordinator
	Depth   int    // in the tree: 1 under the coordinator
}

// Applied returns the position of the log up to which the replica has applied entries.
func (w *Worker) Applied() uint64 { return w.applied }
