package distributed

// Place is a position in a pass over the data. A fit continues from it if the network is as it was then: the same
// parameters, updater state, iteration and epoch.
type Place struct {
	Pass     uint64 `json:"pass"`     // which one it is; the first of an epoch has its number
	Begun    int    `json:"begun"`    // the network's iteration when the pass began
	Done     int    `json:"done"`     // complete rounds of the pass; minibatches where there are no rounds
	Examples int    `json:"examples"` // that they had
	Shares   uint32 `json:"shares"`   // a checksum of who trains what in the pass
	// Master is what a training master needs to know besides; nil if that is nothing.
	Master []byte `json:"master,omitempty"`
}

// Checkpoint is a network in training. Its vectors are valid until Keep returns.
type Checkpoint struct {
	Place
	Params, Updater  []float32
	Iteration, Epoch int
	Score            float64 // the last one
	// State is what the training master keeps beside the network; nil if that is nothing. The receiver owns the bytes.
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
