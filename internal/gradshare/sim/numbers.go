package sim

import "github.com/dl4go/dl4go/internal/gradshare"

// numbers is what a world's machines compute with: the toy network, messages of a size without numbers, or the real
// codec.
type numbers interface {
	reference() gradshare.Reference
	replica(n *node) replica
	// begin is the parameters that training begins with.
	begin() []byte
	// start is what the first round of averaging begins with.
	start() []byte
	// agree compares the replicas of nodes with the reference, when an epoch is done.
	agree(ref gradshare.Reference, nodes []*node) error
	// settles checks the sum of the workers' reports.
	settles(ref gradshare.Reference, s gradshare.Settled) error
	// saves checks the reports of a checkpoint.
	saves(k *gradshare.Checkpoint) error
	// conserve checks, at the end, that nothing has been lost without being counted.
	conserve() error
}

// replica is a worker's numbers, with an account of what became of its updates.
type replica interface {
	gradshare.Replica
	// train does a step's computation; what it gives is told to the machine later.
	train(a gradshare.Train) gradshare.Trained
	// commits and rollsBack tell that an update of this process is committed, and that the coordinator has restarted from
	// before that.
	commits(e *gradshare.Entry, term uint32)
	rollsBack(e *gradshare.Entry, term uint32)
	// die loses what the process has.
	die()
}
