package sim

import "github.com/dl4go/dl4go/internal/coordination"

// numbers is the arithmetic of a world's machines: the toy network, messages of a given size without contents, or the
// real codec.
type numbers interface {
	reference() coordination.Reference
	replica(n *node) trackedReplica
	// begin returns the initial parameters of training.
	begin() []byte
	// start returns the initial value of the first round of averaging.
	start() []byte
	// agree compares the nodes' replicas with the reference after an epoch.
	agree(ref coordination.Reference, nodes []*node) error
	// settles checks the sum of the workers' reports.
	settles(ref coordination.Reference, s coordination.Settled) error
	// saves checks the reports of a checkpoint.
	saves(k *coordination.Checkpoint) error
	// conserve checks at the end that every loss was counted.
	conserve() error
}

// trackedReplica is a worker's numbers. It learns which of its updates were committed.
type trackedReplica interface {
	coordination.Replica
	// train computes a step at once; the machine gets the result later.
	train(a coordination.Train) coordination.Trained
	// commits notes that an update of this process is committed. rollsBack notes that the coordinator has restarted
	// from before that.
	commits(e *coordination.Entry, term uint32)
	rollsBack(e *coordination.Entry, term uint32)
	// die loses the process's residual.
	die()
}
