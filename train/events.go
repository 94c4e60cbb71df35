package train

import (
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/earlystopping"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/eval"
)

// Event is something that a run tells Config.Listen: Began, EpochBegan, Step, EpochEnded, CheckpointKept, SaveFailed,
// Measured, Paced, PretrainingEpoch, PretrainedLayer, Pretrained, RateLowered, TimeUp or Stopped. Epochs are numbered
// from 0.
type Event interface{ event() }

// Began tells that training begins, after any pretraining.
type Began struct {
	// Examples foresees how many examples the run will train, each as often as it is trained.
	Examples int64
	// Over: nothing is left to train, as the checkpoint that the run goes on from is of its end.
	Over bool
}

// EpochBegan tells that an epoch begins, or all iterations where Config.Iterations is set.
type EpochBegan struct {
	Epoch, Of int
	Iteration int // of the network, before it
}

// Step tells of a complete part of training: a minibatch, a round of parameter averaging, or some shared updates.
type Step struct {
	Epoch     int
	Iteration int // of the network, after the step
	Examples  int // of the step
	Score     float64
	Sharing   *sharing.Progress // of gradient sharing; nil otherwise
	// Iterations are the minibatches of all workers, as [distributed.Round] has them; nil of plain training.
	Iterations []distributed.Iteration
}

// EpochEnded has the figures of an epoch. The model file has its network, unless SaveFailed told of an error or
// Stopping keeps a better one.
type EpochEnded struct {
	Epoch, Of int
	Iteration int // of the network
	Figures
	// LearningRate is that of the last step; nil where the updater has none.
	LearningRate *float64
	Trained      int // examples of the epoch that this run trained; the others were trained before it was resumed
	Duration     time.Duration
}

// Figures are the results of an epoch or of a run.
type Figures struct {
	Examples int
	Score    float64  // the mean of the training examples
	Accuracy *float64 // of held-out data that has classes; nil otherwise
	HeldOut  *float64 // the mean loss of the held-out data, without regularisation's part; nil if there is none
	// R2 and MAE are of held-out data whose labels are numbers of a table, in their own unit; nil otherwise.
	R2, MAE *float64
	// Weighted has such figures where each example counts by its weight; nil where all count the same.
	Weighted *eval.Weighted
	Measures []Measure // the held-out data's figures that Config.Metrics names
	Metric   *Metric   // that Stopping goes by; nil where the epoch was not scored by it
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
	Best  bool // so far
}

// CheckpointKept tells that a checkpoint is complete.
type CheckpointKept struct {
	Dir              string
	Epoch, Iteration int // of the network in it
	Examples         int // of the epoch under way
}

// SaveFailed tells that the model file could not be written after an epoch, and that training goes on.
type SaveFailed struct {
	Epochs int
	Err    error
}

// Measured has the time of a step and the size of an update, after the first epoch of gradient sharing.
// [sharing.Cluster.Advise] predicts other machines from it, once Bandwidth and Latency are filled in.
type Measured struct{ Cluster sharing.Cluster }

// Paced tells how often the next epoch averages, where [paramavg.Options] has AutoFrequency.
type Paced struct{ paramavg.Pace }

func (Paced) event() {}

// PretrainingEpoch tells of an epoch of an autoencoder that is pretrained with Stopping.
type PretrainingEpoch struct {
	Layer     string
	Epoch, Of int
	Duration  time.Duration
	Metric    *Metric // nil where the epoch was not scored
}

// PretrainedLayer tells why the pretraining of an autoencoder was ended by Stopping.
type PretrainedLayer struct {
	Layer string
	Stopped
}

// Pretrained tells that all autoencoders are pretrained.
type Pretrained struct {
	Layers, Epochs int // Epochs is how many each had, or at most
	Duration       time.Duration
}

// Stopped tells why Stopping ended training.
type Stopped struct {
	Reason    earlystopping.Reason
	By        string // the condition
	Epochs    int    // that were trained
	BestEpoch int
	BestScore float64
	Metric    string
	Latest    string // the file of the latest network; empty if there is none
}

// RateLowered tells that the learning rate was multiplied by a factor: see [Remote.LowerLearningRate].
type RateLowered struct {
	By, Rate  float64
	Iteration int // of the network
}

func (RateLowered) event() {}

// TimeUp tells that Config.MaxTime, or [Remote.End], has ended training.
type TimeUp struct {
	After            time.Duration
	Asked            bool // by Remote.End
	Epoch, Iteration int  // of the network
	InEpoch          bool // an epoch was under way, Examples into it
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
