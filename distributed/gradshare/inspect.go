package gradshare

// Head is the last position of the log.
func (c *Coordinator) Head() uint64 { return c.log.head() }

// Term is the coordinator's.
func (c *Coordinator) Term() uint32 { return c.conf.Term }

// Settled says whether a worker of this term has applied the log up to a position, and nothing beyond it is on its way
// into the replica.
func (w *Worker) Settled(term uint32, head uint64) bool {
	return w.active && w.term == term && w.begin == nil && w.running == 0 && w.applied == head && len(w.pending) == 0
}

// Identity is the worker's term and peer; its Incarnation is 0 while it is nobody.
func (w *Worker) Identity() (term uint32, p Peer) { return w.term, w.peer }
