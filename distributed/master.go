package distributed

import (
	"context"
	"time"

	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// TrainingMaster is a way to train a network on distributed data (Deeplearning4j: TrainingMaster). It may also have a
// method FitEpochs with the parameters of Fit and a number of epochs before listen: see [Network.FitEpochs].
type TrainingMaster interface {
	// Fit trains one epoch: each example is used once. The network then has the result, and has counted the epoch. If Fit
	// fails, the network is as after the last complete round, and its epoch is not counted. If resident workers exchange
	// large results among themselves, it may be as after an earlier round of the last second.
	Fit(ctx context.Context, net nn.AnyNetwork, d *Data, listen func(Round)) error
	// Stats returns the durations of the phases of all fits so far. It returns nil unless the master's settings have
	// CollectTrainingStats.
	Stats() *stats.Collector
	// Close removes data that fits keep for later ones: persisted data, exported files.
	Close() error
}

// Round is a report of a training master after a round of parameter averaging or, a few times a second, after some
// updates of gradient sharing.
type Round struct {
	Epoch int // from 0
	// Index is the round, from 0, and Of the number of rounds of the epoch. In gradient sharing, they count the
	// minibatches of the epoch: those before the report, and all.
	Index, Of   int
	Workers     int     // workers that trained
	Examples    int     // of all workers
	Minibatches int     // of all workers
	Score       float64 // mean over the workers' last minibatches; in gradient sharing, over all minibatches of the report
	Duration    time.Duration
	// Iterations are the minibatches of all workers: in parameter averaging by worker, in gradient sharing in the order
	// in which they were committed.
	Iterations []Iteration
}

// Iteration is a minibatch that a worker trained (Deeplearning4j: iterationDone of a TrainingListener on a worker). Its
// round is Round.Index. With truncated back-propagation it covers all steps of the minibatch.
type Iteration struct {
	Worker   int     `json:"w"` // the number of the worker, from 0; in gradient sharing, of its partition
	Index    int     `json:"i"` // from 0, among the worker's minibatches of the round; in gradient sharing, of the epoch
	Examples int     `json:"n"`
	Score    float64 `json:"s"` // before the update
}
