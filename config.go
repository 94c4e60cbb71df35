package dl4go

import (
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/train"
)

// Config describes a training: the network, the data and the length. Data or Prepared is required.
type Config struct {
	// Network is the network to train: MLP, Named, Layers, Graph, Trained or File. Nil is MLP(64), or with Prepared the
	// built-in network that dl4go train takes: mlp, lenet for pictures, lstm for sequences.
	Network Network
	// Data has the training examples, with labels, from a Table or from Read. A model keeps the names of its columns
	// and classes.
	Data source.Source
	// Prepared is the training data of Prepare, in place of Data, with its held-out examples. The model keeps its
	// pipeline, for [Model.PredictRows] and [Model.Read]. Without a Normalizer, numbers to predict are standardised for
	// training.
	Prepared *Prepared
	// HeldOut has examples that the network does not learn from. They are scored after each epoch. Nil: those of
	// Prepared, if there are any.
	HeldOut source.Source
	// Normalizer scales the features, such as Standardize. Nil: they stay as they are, or are scaled by the normalizer
	// that the network already has.
	Normalizer Normalizer

	// Seed determines all random numbers: the initial parameters, the order of examples, dropout. 0: the network's own
	// seed.
	Seed int64
	// Batch is the number of examples of a minibatch: 64 by default, 16 if there are fewer than 10,000 examples.
	Batch int
	// Epochs is the number of passes over the data: 3 by default, 15 if there are fewer than 10,000 examples, and at
	// most 100 with Patience.
	Epochs int

	// Patience ends training after this many epochs without an improvement of the Metric of HeldOut; the model is then
	// the best network. 0: all epochs are trained, and the model is the last network.
	Patience int
	// Metric is the score for Patience, such as accuracy, f1 or mse: one of [train.Metrics]. Empty: loss. If the
	// Normalizer scales numbers, their errors are those of the scaled numbers.
	Metric string

	// Save is a model file that is written after each epoch, or with Patience when the network gets better. Empty: none.
	Save string
	// Overwrite allows the run to replace any file at Save. Otherwise, the file may only have a model of the same network,
	// columns and label.
	Overwrite bool
	// Checkpoint is a directory for checkpoints, one every minute. A later run continues from them. Empty: no
	// checkpoints. With Patience, Save must be set.
	Checkpoint string
	// Resume continues the run in Checkpoint: the result has the same bytes as that of an uninterrupted run. If there
	// is no checkpoint, a new run begins.
	Resume bool
	// StatsFile is the file for the statistics: how the run learned, and with On how long each phase took. Its
	// extension is .html, .json or .csv. Empty: no file.
	StatsFile string

	// Kernels is the instruction set of the kernels, such as "avx2", or a device, such as "gpu": see
	// [distributed.Options]. Empty: the best instruction set of this machine.
	Kernels string

	// Listen is called with each event of the run: steps, epochs and others. The goroutine that trains calls it.
	Listen func(Event)
	// Trackers get the figures of the run during training: see [TensorBoard] and [MLflow].
	Trackers []train.Tracker
	// Page shows the run in browsers while it trains. Nil: there is no page.
	Page *Page
	// Prometheus serves the figures of the run while it trains. Nil: they are not served.
	Prometheus *Prometheus
	// Adjust changes settings of the run that Config does not have, just before it begins.
	Adjust func(*train.Config)
}

// Event is an event of a run: see the events of package train.
type Event = train.Event

// Step is the event of each complete step: a minibatch, a round of averaging, some shared updates.
type Step = train.Step

// EpochEnded is the event of each epoch, with its figures.
type EpochEnded = train.EpochEnded

// Averaging is the method of parameter averaging, Sharing that of gradient sharing. Their zero values have the
// defaults.
type (
	Averaging = train.Averaging
	Sharing   = train.Sharing
)

// validate finds contradictions before anything is read.
func (c Config) validate() error {
	wrong := func(field, problem string) error { return fmt.Errorf("dl4go.Config.%s: %s", field, problem) }
	switch {
	case c.Data == nil:
		return wrong("Data", "there is none; set the examples to train on")
	case len(c.Data.Info().Labels) == 0:
		return wrong("Data", c.Data.Info().Name+" has no labels to train by; set Class or Target of its table")
	case c.Patience < 0 || c.Epochs < 0 || c.Batch < 0:
		return wrong("Patience", fmt.Sprintf("Patience, Epochs and Batch are %d, %d and %d; none can be negative", c.Patience,
			c.Epochs, c.Batch))
	case c.Patience > 0 && c.HeldOut == nil:
		return wrong("Patience", "it needs data to score on; set HeldOut")
	case c.Metric != "" && c.Patience == 0:
		return wrong("Metric", "it has no effect without Patience; set that, too")
	case c.Patience > 0 && c.Checkpoint != "" && c.Save == "":
		return wrong("Save", "it is empty; Patience with Checkpoint needs a file for the best network")
	case c.Overwrite && c.Save == "":
		return wrong("Overwrite", "it has no effect without Save; set that, too")
	case c.Resume && c.Checkpoint == "":
		return wrong("Resume", "it has no directory to go on from; set Checkpoint")
	}
	return nil
}

// alike checks that the held-out data has the classes and columns of the training data, in the same order.
func (c Config) alike() error {
	if c.HeldOut == nil {
		return nil
	}
	if err := fits(c.Data.Info().Schema, c.HeldOut.Info()); err != nil {
		return fmt.Errorf("dl4go.Config.HeldOut: %w", err)
	}
	return nil
}

var errNoEngine = errors.New("dl4go.On: there is no engine: it is nil; Open one, or call Train")
