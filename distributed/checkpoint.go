package distributed

// Place is a position in a pass over the data. A fit continues from it if the network is as it was then: the same
// parameters, updater state, iteration and epoch.
type Place struct {
	Pass     uint64 `json:"pass"`     // the number of the pass; that of an epoch's first pass is the epoch
	Begun    int    `json:"begun"`    // iteration of the network when the pass began
	Done     int    `json:"done"`     // complete rounds of the pass; minibatches if there are no rounds
	Examples int    `json:"examples"` // number of examples in these rounds or minibatches
	Shares   uint32 `json:"shares"`   // a checksum of the pass's assignment to workers
	// Master has further state of the training master; nil if there is none.
	Master []byte `json:"master,omitempty"`
}

// Checkpoint is a network in training. Its vectors are valid until Keep returns.
type Checkpoint struct {
	Place
	Params, Updater  []float32
	Iteration, Epoch int
	Score            float64 // the last one
	// State is the training master's state beside the network; nil if there is none. The receiver owns the bytes.
	State []byte
}

// Checkpoints stores checkpoints. The goroutine that called the fit calls both methods.
type Checkpoints interface {
	// Due reports whether a checkpoint is wanted now. It is called after each round, or a few times a second. It is also
	// called when the context of a fit has ended, so that no complete round is lost.
	Due() bool
	// Keep stores a checkpoint, which replaces earlier ones. It copies the data that it needs, and returns soon, because
	// training waits for it. If it fails, it reports the error itself, and training continues.
	Keep(Checkpoint)
}
