package coordination

// Settled says whether a worker of this term has applied the log up to a position, and nothing beyond it is on its way
// into the replica.
func (w *Worker) Settled(term uint32, head uint64) bool {
	return w.active && w.term == term && w.begin == nil && !w.steps.running() && w.applied == head && len(w.pending) == 0
}

// Identity is the worker's term and peer; its Incarnation is 0 while it is nobody.
func (w *Worker) Identity() (term uint32, p Peer) { return w.term, w.peer }

// Member is what a coordinator knows of a worker.
type Member struct {
	Peer    Peer
	Active  bool   // it has parameters
	Here    bool   // its link is up, and it was heard of lately
	Behind  uint64 // entries of the log that its replica lacks
	Trained int    // minibatches of the epoch that are committed of its partitions
	Held    int    // updates that wait for slower workers
	Parent  Peer   // who feeds it; Incarnation 0: the coordinator
	Depth   int    // in the tree: 1 under the coordinator
}

// Applied is the position of the log that the replica has.
func (w *Worker) Applied() uint64 { return w.applied }
