package coordination

import "fmt"

// partition is the coordinator's record of a partition.
type partition struct {
	seen   bool
	count  uint32
	next   uint32 // the first uncommitted ordinal of the epoch
	owner  *member
	absent Time // since when it has no owner

	// Since the partition's last commit: ends of its owners, and how many of the ends were failures.
	ends, failures int
}

// member is a worker that was admitted and is not dead.
type member struct {
	Peer
	nonce   uint64
	attempt uint32
	shares  []Share
	address string

	link   Link // 0: broken
	broken Time
	heard  Time
	worked Time // its last sign of progress
	active bool // it has parameters
	again  bool // it was a member before, and may have a residual from then

	start             uint64 // where its log begins
	received, applied uint64
	accepted          uint64    // the last Seq
	held              []*Update // accepted, not committed
	beat              Beat

	asked    asked // the last question for its state
	life     *Life
	placed   bool    // it has its place in the tree
	parent   *member // nil: the coordinator
	children int
	version  uint32
	stream   *stream  // where the coordinator feeds it
	unsent   Link     // link on which a Log of an earlier stream is in the driver's hands
	avoid    []uint32 // workers that could not feed it
	failures int      // of its parents to feed it
}

func (m *member) String() string { return m.Peer.String() }

// String returns the worker's number and, in brackets, its incarnation.
func (p Peer) String() string {
	return fmt.Sprintf("worker %d (incarnation %d)", p.Worker, p.Incarnation)
}
