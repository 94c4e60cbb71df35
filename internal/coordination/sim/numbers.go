package sim

import "github.com/dl4go/dl4go/internal/coordination"

// numbers is what a world's machines compute with: the toy network, messages of a size without numbers, or the real
// codec.
type numbers interface {
	reference() coordination.Reference
	replica(n *node) trackedReplica
	// begin is the parameters that training begins with.
	begin() []byte
	// start is what the first round of averaging begins with.
	start() []byte
	// agree compares the replicas of nodes with the reference, when an epoch is done.
	agree(ref coordination.Reference, nodes []*node) error
	// settles checks the sum of the workers' reports.
	settles(ref coordination.Reference, s coordination.Settled) error
	// saves checks the reports of a checkpoint.
	saves(k *coordination.Checkpoint) error
	// conserve checks, at the end, that nothing has been lost without being counted.
	conserve() error
}

// trackedReplica is a worker's numbers. It learns which of its updates were committed.
type trackedReplica interface {
	coordination.Replica
	// train does a step's computation; the machine gets the result later.
	train(a coordination.Train) coordination.Trained
	// commits and rollsBack tell that an update of this process is committed, and that the coordinator has restarted from
	// before that.
	commits(e *coordination.Entry, term uint32)
	rollsBack(e *coordination.Entry, term uint32)
	// die loses what the process has.
	die()
}
