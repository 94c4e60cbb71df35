package train

import (
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/eval"
)

// Event is an event for Config.Listen: Began, EpochBegan, Step, EpochEnded, CheckpointKept, SaveFailed, Measured,
// Paced, PretrainingEpoch, PretrainedLayer, Pretrained, RateLowered, TimeUp or Stopped. Epochs are numbered from 0.
type Event interface{ event() }

// Began is the event of the beginning of training, after any pretraining.
type Began struct {
	// Examples is the expected number of examples to train; each counts as often as it is trained.
	Examples int64
	// Over reports that nothing is left to train, because the run continues from the checkpoint of its end.
	Over bool
}

// EpochBegan is the event of the beginning of an epoch, or of all iterations if Config.Iterations is set.
type EpochBegan struct {
	Epoch, Of int
	Iteration int // of the network, before it
}

// Step is the event of a completed part of training: a minibatch, a round of parameter averaging, or some shared
// updates.
type Step struct {
	Epoch     int
	Iteration int // of the network, after the step
	Examples  int // of the step
	Score     float64
	Sharing   *sharing.Progress // of gradient sharing; nil otherwise
	// Iterations are the minibatches of all workers, as in [distributed.Round]; nil for plain training.
	Iterations []distributed.Iteration
}

// EpochEnded is the event of the end of an epoch, with its figures. The model file has the epoch's network, unless
// there was a [SaveFailed], or Stopping keeps a better network.
type EpochEnded struct {
	Epoch, Of int
	Iteration int // of the network
	Figures
	// LearningRate is that of the last step; nil if the updater has none.
	LearningRate *float64
	Trained      int // number of the epoch's examples that this run trained, without an earlier part's
	Duration     time.Duration
}

// Figures are the results of an epoch or of a run.
type Figures struct {
	Examples int
	Score    float64  // the mean over the training examples
	Accuracy *float64 // on held-out data with classes; nil otherwise
	HeldOut  *float64 // the mean loss of the held-out data, without the regularisation term; nil if there is none
	// Commonest is for held-out data with classes; nil otherwise. An accuracy of no more than Commonest.Label is that of
	// a guess.
	Commonest *Commonest
	// R2 and MAE are for held-out data whose labels are numbers of a table, in their own unit; nil otherwise.
	R2, MAE *float64
	// Weighted has the same figures with weighted examples; nil if all weights are equal.
	Weighted *eval.Weighted
	Measures []Measure // the figures of held-out data that Config.Metrics names
	Metric   *Metric   // the metric of Stopping; nil if the epoch was not scored by it
}

// Commonest has shares of the held-out examples, to compare an accuracy with.
type Commonest struct {
	Label     float64 // the share of the commonest label
	Predicted float64 // the share of the class that is predicted most often
}

// Measure is a figure of held-out data.
type Measure struct {
	Name  string // as in Config.Metrics
	Value float64
}

// Metric is the score of an epoch by Stopping.Metric.
type Metric struct {
	Name  string
	Score float64
	Best  bool // the best so far
}

// CheckpointKept is the event of a completed checkpoint.
type CheckpointKept struct {
	Dir              string
	Epoch, Iteration int // of the network in it
	Examples         int // of the current epoch
}

// SaveFailed is the event of a model file that could not be written after an epoch. Training continues.
type SaveFailed struct {
	Epochs int
	Err    error
}

// Measured is the event after the first epoch of gradient sharing, with the time of a step and the size of an update.
// Fill in the Bandwidth and Latency of its Cluster, and [sharing.Cluster.Advise] predicts how other machines would
// train.
type Measured struct{ Cluster sharing.Cluster }

// Paced is the event of a new averaging frequency, for the next epoch, if paramavg.Options has AutoFrequency.
type Paced struct{ paramavg.Pace }

func (Paced) event() {}

// PretrainingEpoch is the event of an epoch of an autoencoder that is pretrained with Stopping.
type PretrainingEpoch struct {
	Layer     string
	Epoch, Of int
	Duration  time.Duration
	Metric    *Metric // nil if the epoch was not scored
}

// PretrainedLayer is the event of the end of an autoencoder's pretraining with Stopping, with the reason.
type PretrainedLayer struct {
	Layer string
	Stopped
}

// Pretrained is the event of the end of all pretraining.
type Pretrained struct {
	Layers, Epochs int // Epochs is the number of epochs of each, or the maximum
	Duration       time.Duration
}

// Stopped is the event of training that Stopping has ended, with the reason.
type Stopped struct {
	Reason    earlystopping.Reason
	By        string // the condition
	Epochs    int    // number of trained epochs
	BestEpoch int
	BestScore float64
	Metric    string
	Latest    string // the file of the latest network; empty if there is none
}

// RateLowered is the event of a learning rate that was multiplied by the factor By: see [Remote.LowerLearningRate].
type RateLowered struct {
	By, Rate  float64
	Iteration int // of the network
}

func (RateLowered) event() {}

// TimeUp is the event of training that Config.MaxTime or [Remote.End] has ended.
type TimeUp struct {
	After            time.Duration
	Asked            bool // by Remote.End
	Epoch, Iteration int  // of the network
	InEpoch          bool // the epoch was cut short after Examples
	Examples         int
}

func (TimeUp) event()           {}
func (Began) event()            {}
func (EpochBegan) event()       {}
func (Step) event()             {}
func (EpochEnded) event()       {}
func (CheckpointKept) event()   {}
func (SaveFailed) event()       {}
func (Measured) event()         {}
func (PretrainingEpoch) event() {}
func (PretrainedLayer) event()  {}
func (Pretrained) event()       {}
func (Stopped) event()          {}
