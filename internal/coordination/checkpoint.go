package coordination

// Checkpoint is what a coordinator goes on from after a restart. Workers that outlived the one before join again; what
// was committed after the checkpoint is trained again.
type Checkpoint struct {
	Position   uint64 // of the log
	Epoch      uint32
	Open       bool // the epoch is under way: EpochDone follows without an Open
	Partitions []Progress
	Lives      []Life
	Params     []byte // of Reference.Params
	State      []byte // a worker's; nil if none was known
	// Reports is the sum of what the workers reported for Position, of an epoch under way; otherwise nil.
	Reports []byte
}

// Progress is how far a partition is.
type Progress struct {
	Seen        bool   // Minibatches is known
	Minibatches uint32 // of an epoch
	Next        uint32 // the first ordinal that is not committed
}

// Save is the action that asks the driver to keep a checkpoint, in place of the one before.
type Save struct{ Checkpoint *Checkpoint }

// SaveNow is the event that asks for a Save.
type SaveNow struct{}
