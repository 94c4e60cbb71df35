package distributed

import (
	"context"
	"time"

	"github.com/dl4go/dl4go/nn"
)

// TrainingMaster is a way to train a network on distributed data (Deeplearning4j: TrainingMaster).
type TrainingMaster interface {
	// Fit trains one epoch: each example is used once. The network then has the result, and has counted the epoch.
	// Where it fails, the network is as after the last complete round, and its epoch is not counted.
	Fit(ctx context.Context, net nn.Network, d *Data, listen func(Round)) error
	// Close removes what fits have left for later ones: persisted data, exported files.
	Close() error
}

// Round is what a training master tells of each round of training.
type Round struct {
	Epoch       int // from 0
	Index, Of   int // the round, from 0, of how many in the epoch
	Workers     int // that trained
	Examples    int // that all workers trained
	Minibatches int // the most that one worker trained
	Score       float64
	Duration    time.Duration
}
