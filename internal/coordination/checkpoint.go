package coordination

// Checkpoint is the state from which a coordinator goes on after a restart. Workers that outlived the previous
// coordinator join again. Minibatches that were committed after the checkpoint are trained again.
type Checkpoint struct {
	Position   uint64 // of the log
	Epoch      uint32
	Open       bool // the epoch is under way: EpochDone follows without an Open
	Partitions []Progress
	Lives      []Life
	Params     []byte // of Reference.Params
	State      []byte // a worker's; nil if none was known
	// Reports is the sum of the workers' reports for Position if an epoch is under way; otherwise nil.
	Reports []byte
}

// Progress is how much of a partition is committed.
type Progress struct {
	Seen        bool   // Minibatches is known
	Minibatches uint32 // of an epoch
	Next        uint32 // the first ordinal that is not committed
}

// Save is the action that asks the driver to keep a checkpoint instead of the previous one. Silent is the number of
// workers that may have a residual and did not report it.
type Save struct {
	Checkpoint *Checkpoint
	Silent     int
}

// SaveNow is the event that asks for a Save.
type SaveNow struct{}
