package train

import (
	"cmp"
	"errors"
	"log/slog"
	"math"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cpu"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/nn"
)

// The defaults of [Config]. With few examples, training has more epochs and smaller minibatches, so that there are
// enough steps.
const (
	DefaultEpochs      = 3           // passes over the data
	DefaultBatch       = 64          // examples of a minibatch
	SmallData          = 10_000      // fewer examples than this are few
	DefaultEpochsSmall = 15          // DefaultEpochs for few examples
	DefaultBatchSmall  = 16          // DefaultBatch for few examples
	DefaultEpochsLimit = 100         // DefaultEpochs of a run, or of pretraining, with early stopping
	DefaultEvery       = time.Minute // between checkpoints
	DefaultGrace       = 10 * time.Second
)

// Config describes a run: the network, the data, the method and the length. Network and Data are required.
type Config struct {
	// Network is trained in place. It keeps its executor: see [Config.NewExecutor].
	Network nn.AnyNetwork
	// Data has the training examples. Seed permutes the examples of a [source.Table] or a [source.Picker]. Plain training
	// takes the objects of any other source in order.
	Data source.Source
	// HeldOut is scored after each epoch: its loss, and its accuracy if it has classes. Nil: there is no held-out
	// data.
	HeldOut source.Source
	// Metrics names further figures of HeldOut, which are all computed in one pass: see [MetricNames]. The accuracy of
	// classes, and r2 and mae of numbers in a table, are always computed. Nil means binary-accuracy and binary-f1 for
	// labels that are each present or absent, and nothing for others.
	Metrics []string
	// Normalizer normalizes the features of Data and HeldOut; nil: they stay as they are. A run does not store it in the
	// model file: for that, see [nn.Network.SetNormalizer].
	Normalizer data.Normalizer
	// Augment changes the pictures of Data randomly during training. Its size is that of [source.Info.Image], and need
	// not be set.
	Augment data.Augmentation
	// ClassWeights are the weights of the classes in training: see [ClassWeights].
	ClassWeights ClassWeights
	// Engine provides the workers. The caller closes it. For Plain it may be nil; then the run has its own local[1].
	Engine engine.Engine
	// Method is the way of training; nil is Plain.
	Method Method

	// Batch is the number of examples of a minibatch, of one worker. 0: see DefaultBatch and [Sharing]; plain training
	// takes saved minibatches unchanged.
	Batch int
	// Epochs is the number of passes over the data. 0: see DefaultEpochs.
	Epochs int
	// Iterations, if not 0, is the number of minibatches that each worker trains, instead of Epochs. Sharing trains
	// whole epochs only.
	Iterations int
	// Seed determines the order of the examples and all random numbers.
	Seed int64
	// Kernels is the instruction set of the workers' kernels, such as "avx2", or a device: see [distributed.Options].
	// Empty: the best of this machine.
	Kernels string

	// MaxTime, if not 0, ends training once this part of the run has taken that long: after the current step. The
	// model is saved as at the end of a run. At least one step is trained. Pretraining counts, but is not cut short.
	MaxTime time.Duration
	// Memory, if not 0, is the maximum number of bytes of memory for the run. A run that needs more for the network,
	// and for minibatches of source.Stored, is refused. [source.Options] limits the memory of the data.
	Memory int64
	// OverfitBatches, if not 0, trains only on this many minibatches of Data, and scores these instead of HeldOut. A
	// network that can't learn them by heart has a mistake. The default of Epochs is then DefaultEpochsLimit. Learning
	// rates do not fall: see [nn.HoldLearningRate] and [source.Take].
	OverfitBatches int
	// FastDevRun tries the whole run in seconds. Each worker trains one minibatch, one minibatch of HeldOut is scored, and
	// the model is saved beside Save, read back and removed. There are no checkpoints, statistics or trackers.
	FastDevRun bool

	// GradientLimit, if not 0, checks each step for numbers that are not finite, and for layers whose gradient has a norm
	// above the limit. The run then ends with an *[nn.AnomalyError], which names the layer and the operation.
	// [nn.DefaultGradientLimit] is a usual limit.
	GradientLimit float64
	// Profile measures the times of operations in training: see Result.Profile. It requires training on processors.
	Profile bool

	// Save is the model file, which is written after each epoch, or with Stopping when the network improves. It may be
	// a URL. Empty: no file.
	Save string
	// Overwrite allows the run to replace any file at Save. Otherwise, the file may only have a model of the same network,
	// columns and label.
	Overwrite bool
	// OtherLayers allows the run to replace a file at Save that has another network, or no network. If it has a model of
	// other columns or another label, Overwrite is still needed.
	OtherLayers bool
	// WithoutUpdater omits the updater state from the model file.
	WithoutUpdater bool
	// Stopping ends training according to the held-out data, and keeps the best network. Nil: the run trains all its
	// epochs.
	Stopping *Stopping
	// Pretraining trains the network's autoencoders first, only with Plain. Nil: no pretraining.
	Pretraining *Pretraining
	// Checkpoint says where checkpoints are kept. If its Dir is empty, there are none.
	Checkpoint Checkpoint
	// From is the checkpoint that the run continues from; nil for a new run. Network must then be From.Network, and
	// Data the same as before. The run closes it.
	From *Resumed
	// StatsFile is the file for the statistics of training: .html, .json or .csv. They show how the run learned, and
	// with Averaging and Sharing where its time went. JSON is also written beside checkpoints. Empty: no file.
	StatsFile string
	// Trackers get the figures of the run during training. Their errors are warnings.
	Trackers []Tracker
	// Measure makes the workers collect statistics for [Remote.Now], even if there is no StatsFile and no Tracker.
	Measure bool

	// Grace is how long an interrupted run may take to save its network to S3 or HDFS; 0 is DefaultGrace. A model that
	// is not saved by then is saved on this machine, and the error names the place.
	Grace time.Duration

	// Listen, unless nil, is called with the events of the run, by the goroutine that trains.
	Listen func(Event)
	// Log receives warnings; nil is [slog.Default].
	Log *slog.Logger
}

// Checkpoint says where and how often a run writes checkpoints.
type Checkpoint struct {
	// Dir is a directory on disk, S3 or HDFS, which only one run may use at a time. Empty: no checkpoints.
	Dir string
	// Every is the minimum time between two checkpoints; 0 is DefaultEvery.
	Every time.Duration
	// Claim says how the directory is claimed.
	Claim Claim
	// Notes are stored in each checkpoint for the caller; [Resume] returns them.
	Notes Notes
}

// Notes are the caller's own settings that a checkpoint stores.
type Notes struct {
	Values map[string][]string
	// Secret names settings whose values are not stored.
	Secret []string
}

// Pretraining says how autoencoders are trained, one after the other and without labels.
type Pretraining struct {
	Epochs   int       // of each; 0: DefaultEpochsLimit with Stopping
	Stopping *Stopping // its metrics are those of reconstruction; nil: no early stopping
}

// ConfigError is an invalid setting of [Config].
type ConfigError struct {
	Field Term // such as "Stopping.Latest"
	Err   error
	named bool // Err begins with the value of the setting
}

// Error names the field and the problem.
func (e *ConfigError) Error() string { return e.text(nil) }
func (e *ConfigError) Unwrap() error { return e.Err }

func (e *ConfigError) text(words map[Term]string) string {
	return about(e.Field, e.named, e.Err, words)
}

// FileError is an error about a file or a directory that a setting of [Config] names.
type FileError struct {
	Field Term // such as "Save"
	Err   error
	named bool // Err begins with the value of the setting
}

// Error names the field and the problem of the file.
func (e *FileError) Error() string { return e.text(nil) }
func (e *FileError) Unwrap() error { return e.Err }

func (e *FileError) text(words map[Term]string) string { return about(e.Field, e.named, e.Err, words) }

// ErrNoHeldOut means that a setting needs held-out data.
var ErrNoHeldOut = errors.New("it needs HeldOut, data to score on")

func wrong(field Term, format string, args ...any) error {
	return &ConfigError{Field: field, Err: sayf(format, args...)}
}

func badFile(field Term, format string, args ...any) error {
	return &FileError{Field: field, Err: sayf(format, args...)}
}

// badCheckpoint returns an error about the checkpoint that the run continues from.
func badCheckpoint(path, format string, args ...any) error {
	return &FileError{Field: "From", Err: sayf("%s: %w", path, sayf(format, args...)), named: true}
}

func (c Config) network() *nn.Network { return c.Network.Base() }

// Validate returns a *[ConfigError] for settings that are invalid, alone or together. It opens no file.
func (c Config) Validate() error {
	switch {
	case c.Network == nil:
		return wrong("Network", "there is none; set the network to train")
	case c.Data == nil:
		return wrong("Data", "there is none; set the examples to train on")
	case len(c.Data.Info().Labels) == 0:
		return wrong("Data", "%s has no labels to train by", c.Data.Info().Name)
	case c.Batch < 0 || c.Epochs < 0 || c.Iterations < 0:
		return wrong("Epochs", "Epochs, Iterations and Batch are %d, %d and %d; they can't be negative", c.Epochs,
			c.Iterations, c.Batch)
	case c.Epochs > 0 && c.Iterations > 0:
		return wrong("Iterations", "it can't be set together with Epochs")
	case c.MaxTime < 0:
		return wrong("MaxTime", "%v: it must be more than 0", c.MaxTime)
	case c.Memory < 0:
		return wrong("Memory", "%d: it must be at least 1 byte", c.Memory)
	case c.OverfitBatches < 0:
		return wrong("OverfitBatches", "%d: it must be at least 1", c.OverfitBatches)
	case c.GradientLimit < 0 || math.IsNaN(c.GradientLimit):
		return wrong("GradientLimit", "%v: it must be more than 0", c.GradientLimit)
	case c.Profile && xla.IsDevice(c.Kernels):
		return wrong("Profile", "operations are timed on processors; leave the device out")
	case c.FastDevRun && c.From != nil:
		return wrong("FastDevRun", "it tries out a new run; leave From out")
	case c.FastDevRun && c.OverfitBatches > 0:
		return wrong("FastDevRun", "it trains one minibatch of each worker; leave OverfitBatches out")
	case c.Checkpoint.Every < 0:
		return wrong("Checkpoint.Every", "%v: it must be more than 0", c.Checkpoint.Every)
	case c.Stopping != nil && c.Checkpoint.Dir != "" && c.Save == "":
		return wrong("Save", "it is empty; early stopping with checkpoints needs a file for the best network")
	}
	if i := c.Data.Info().Image; c.Augment.Changes() && i == nil {
		return wrong("Augment", "%s has no pictures", c.Data.Info().Name)
	}
	if err := cmp.Or(c.ClassWeights.check(c), c.checkMetrics()); err != nil {
		return err
	}
	if c.Stopping != nil {
		if c.Iterations > 0 {
			return wrong("Iterations", "it can't be set together with Stopping")
		}
		if err := c.Stopping.check("Stopping", c); err != nil {
			return err
		}
	}
	if c.Pretraining != nil {
		if err := c.Pretraining.check(c); err != nil {
			return err
		}
	}
	return cmp.Or(c.method().check(c), c.fromFits())
}

func (c Config) method() Method {
	if c.Method == nil {
		return Plain{}
	}
	return c.Method
}

// withDefaults returns the settings with defaults filled in.
func (c Config) withDefaults() Config {
	c.Method = c.method()
	if i := c.Data.Info().Image; i != nil {
		c.Augment.Channels, c.Augment.Height, c.Augment.Width = i.Channels, i.Height, i.Width
	}
	few := c.Data.Info().Examples < SmallData
	if c.Iterations == 0 && c.Epochs == 0 {
		c.Epochs = DefaultEpochs
		if few {
			c.Epochs = DefaultEpochsSmall
		}
		if c.Stopping != nil || c.OverfitBatches > 0 {
			c.Epochs = DefaultEpochsLimit
		}
	}
	if c.Batch == 0 && c.Method.batched(c.Data) {
		c.Batch = DefaultBatch
		if few {
			c.Batch = DefaultBatchSmall
		}
		c.Batch = c.Method.portion(c, c.Batch, cmp.Or(c.From.workersOr(0), c.Method.among(c.Engine)))
	}
	if p := c.Pretraining; p != nil && p.Epochs == 0 {
		limited := *p
		limited.Epochs = DefaultEpochsLimit
		c.Pretraining = &limited
	}
	if c.Stopping != nil {
		s := c.Stopping.withDefaults(c.Save)
		c.Stopping = &s
	}
	if c.HeldOut != nil && c.Metrics == nil && len(c.network().OutputLayers()) == 1 {
		c.Metrics = defaultMetrics(c.HeldOut.Info().Task)
	}
	if c.Kernels == "" {
		c.Kernels = cpu.Kernels{}.String()
	}
	if c.Checkpoint.Every == 0 {
		c.Checkpoint.Every = DefaultEvery
	}
	if c.Grace == 0 {
		c.Grace = DefaultGrace
	}
	if c.Listen == nil {
		c.Listen = func(Event) {}
	}
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return c
}

// check refuses layers that can't be pretrained.
func (p *Pretraining) check(c Config) error {
	if _, plain := c.method().(Plain); !plain {
		return wrong("Pretraining", "it goes with Plain")
	}
	if p.Epochs < 0 || p.Epochs == 0 && p.Stopping == nil {
		return wrong("Pretraining.Epochs", "%d: it must be at least 1", p.Epochs)
	}
	if p.Stopping != nil && c.HeldOut == nil {
		return &ConfigError{Field: "Pretraining.Stopping", Err: ErrNoHeldOut}
	}
	names := c.network().Autoencoders()
	if len(names) == 0 {
		return wrong("Pretraining", "the network has no autoencoder")
	}
	if p.Stopping == nil {
		return nil
	}
	return p.Stopping.checkPretraining(c, names)
}
