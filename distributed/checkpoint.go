package distributed

// Place is a position in a pass over the data. A fit continues from it if the network is as it was then: the same
// parameters, updater state, iteration and epoch.
type Place struct {
	Pass     uint64 `json:"pass"`     // which one it is; the first of an epoch has its number
	Begun    int    `json:"begun"`    // the network's iteration when the pass began
	Done     int    `json:"done"`     // complete rounds of the pass; minibatches where there are no rounds
	Examples int    `json:"examples"` // that they had
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

// Checkpoints keeps checkpoints. Both methods are called by the goroutine that called the fit.
type Checkpoints interface {
	// Due says whether one is wanted now. It is asked after each round, or a few times a second.
	Due() bool
	// Keep keeps one, in place of those before. It copies what it needs and lets training go on; where it can't keep one,
	// it says so by itself, and training goes on all the same.
	Keep(Checkpoint)
}
