// Package sharing trains by gradient sharing, Deeplearning4j's SharedTrainingMaster. Each resident worker trains a
// replica on its own part of the data. It sends the updates of its steps to the others, compressed by package
// threshold. By default, workers go in lockstep: a step begins when the updates of all workers for the step before have
// arrived. [Options] has a lag that lets workers run apart.
//
// Paper: Strom, "Scalable Distributed DNN Training Using Commodity GPU Cloud Computing", Interspeech 2015.
package sharing

import (
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/threshold"
)

// Repartition chooses when examples are redistributed over the workers, if there is no Repartitioner.
type Repartition = distributed.Repartition

const (
	Always                      = distributed.Always
	Never                       = distributed.Never
	NumPartitionsWorkersDiffers = distributed.NumPartitionsWorkersDiffers
)

// Strategy chooses how Repartition spreads the examples (Deeplearning4j: RepartitionStrategy).
type Strategy = distributed.Strategy

// Balanced gives the workers equal counts. SparkDefault assigns each example at random, by the seed.
// ApproximateBalanced is Balanced: counts are exact anyway.
const (
	Balanced                     = distributed.Balanced
	SparkDefault                 = distributed.SparkDefault
	ApproximateBalanced Strategy = masters.ApproximateBalanced
)

// Approach chooses the data that workers train from: Export, the default, or Direct.
type Approach = distributed.Approach

const (
	Export = distributed.Export
	Direct = distributed.Direct
)

// Config is the settings of a training master. Its JSON and YAML hold all of it; Deeplearning4j's files are read too.
type Config struct {
	// RDDDataSetNumExamples is the number of examples in each object of the data set: 1 by default.
	RDDDataSetNumExamples int `dl4j:"rddDataSetNumExamples"`
	// BatchSizePerWorker is the most examples of a minibatch: 16 by default. A worker's partition is cut into as few
	// minibatches as that allows, of sizes that differ by one example at most. 0, as in Deeplearning4j's files without a
	// setting, means the size of the data set's objects.
	BatchSizePerWorker int `dl4j:"batchSizePerWorker"`
	// WorkersPerNode is how many workers a machine has: -1, the default, means one for each slot of the engine. On a
	// cluster it has no effect: Spark places the tasks.
	WorkersPerNode int `dl4j:"numWorkersPerNode"`
	// NumWorkers is the total number of workers; 0, the default, means one for each slot of the engine.
	NumWorkers int `dl4j:"numWorkers,zeronull"`

	// ThresholdAlgorithm chooses each step's threshold. By default, or if nil, it is DefaultAlgorithm().
	ThresholdAlgorithm threshold.Algorithm `dl4j:"thresholdAlgorithm"`
	// UpdatesThreshold, if not 0 and without a ThresholdAlgorithm, means AdaptiveAlgorithm with this initial threshold.
	UpdatesThreshold float64 `dl4j:"updatesThreshold"`
	// ResidualPostProcessor clips the residual, the values not sent yet: threshold.NewResidualClipping() by default;
	// nil for none.
	ResidualPostProcessor threshold.PostProcessor `dl4j:"residualPostProcessor"`
	// EncodingDebugMode logs each step's threshold and sparsity, and statistics of the residual.
	EncodingDebugMode bool `dl4j:"encodingDebugMode"`

	// VoidConfiguration configures the coordinator, and how messages reach the workers.
	VoidConfiguration VoidConfiguration `dl4j:"voidConfiguration"`

	// RDDTrainingApproach: Export by default.
	RDDTrainingApproach Approach `dl4j:"rddTrainingApproach"`
	// ExportDirectory is where Export makes its directory: the system's temporary directory by default.
	ExportDirectory string `dl4j:"exportDirectory,zeronull"`
	// KeepExported leaves the exported files in place (Deeplearning4j: deleteTempFiles(false)).
	KeepExported bool `dl4j:"keepExported"`
	// StorageLevel keeps the workers' examples between fits (Direct): MEMORY_ONLY_SER by default.
	StorageLevel engine.StorageLevel `dl4j:"storageLevel,zeronull"`
	// StorageLevelStreams chooses where the content of exported files is kept between fits: MEMORY_ONLY by default.
	StorageLevelStreams engine.StorageLevel `dl4j:"storageLevelStreams,zeronull"`

	// Repartitioner spreads the examples over the workers: DefaultRepartitioner by default. If it is nil, Repartition
	// and RepartitionStrategy do; their defaults are Always and Balanced. Deeplearning4j has deprecated them.
	Repartitioner       Repartitioner `dl4j:"repartitioner"`
	Repartition         Repartition   `dl4j:"repartition"`
	RepartitionStrategy Strategy      `dl4j:"repartitionStrategy"`

	// WorkerPrefetchNumBatches is how many minibatches a worker prepares in the background: 2 by default.
	WorkerPrefetchNumBatches int `dl4j:"workerPrefetchBatches"`
	// WorkerTogglePeriodicGC and WorkerPeriodicGCFrequency (in ms) control collections of the Java heap: true and 5,000
	// by default. They have no effect here, as steps leave no garbage and the collector paces itself. If they are
	// changed, a warning says so.
	WorkerTogglePeriodicGC    bool `dl4j:"workerTogglePeriodicGC"`
	WorkerPeriodicGCFrequency int  `dl4j:"workerPeriodicGCFrequency"`

	// DebugLongerIterations is the number of milliseconds by which each step is lengthened: 0 by default.
	DebugLongerIterations int `dl4j:"debugLongerIterations"`
	// LogMinibatchesPerWorker logs how many minibatches each worker has trained, after each epoch.
	LogMinibatchesPerWorker bool `dl4j:"logMinibatchesPerWorker"`
	// RNGSeed seeds the order of the examples: 0 by default. Deeplearning4j draws a seed from the clock if none is set.
	RNGSeed int64 `dl4j:"rngSeed"`
	// CollectTrainingStats records the duration of each phase.
	CollectTrainingStats bool `dl4j:"collectTrainingStats"`

	Inert dl4j.Inert
}

// Default returns the defaults for a data set whose objects hold one example.
func Default() Config {
	return Config{
		RDDDataSetNumExamples: 1, BatchSizePerWorker: 16, WorkersPerNode: -1,
		ThresholdAlgorithm: DefaultAlgorithm(), ResidualPostProcessor: threshold.NewResidualClipping(),
		VoidConfiguration: DefaultVoidConfiguration(), RDDTrainingApproach: Export,
		StorageLevel: engine.MemoryOnlySer, StorageLevelStreams: engine.MemoryOnly, Repartitioner: NewDefaultRepartitioner(),
		Repartition: Always, RepartitionStrategy: Balanced, WorkerPrefetchNumBatches: 2,
		WorkerTogglePeriodicGC: true, WorkerPeriodicGCFrequency: 5000,
	}
}

// DefaultAlgorithm is the threshold algorithm that sends 9.5 % of the parameters in each step: those with the largest
// residuals. Of small layers it sends up to 40 %. That costs about 0.6 bits for each parameter on the wire, or 2 with
// DenseCoding. Deeplearning4j differs: its default is adaptive, sends 0.01 to 1 %, and begins with a threshold of 1e-4.
func DefaultAlgorithm() threshold.Largest { return threshold.Largest{Share: 0.095, Most: 0.4} }

// AdaptiveAlgorithm is an adaptive threshold with this initial value. It sends 10 to 15 % of the parameters in each
// step. Deeplearning4j differs: its bounds are 0.01 and 1 %.
func AdaptiveAlgorithm(initial float64) threshold.Adaptive {
	a := threshold.NewAdaptive(initial)
	a.MinTargetSparsity, a.MaxTargetSparsity, a.CountBitmaps = 0.1, 0.15, true
	return a
}

// way begins errors and lines of the log.
const way masters.Way = "gradient sharing"

// common returns the settings that other masters have, too.
func (c Config) common() masters.Settings {
	return masters.Settings{ExamplesPerObject: c.RDDDataSetNumExamples, Workers: c.NumWorkers,
		Repartition: c.Repartition, Strategy: c.RepartitionStrategy, Approach: c.RDDTrainingApproach,
		ExportDirectory: c.ExportDirectory, KeepExported: c.KeepExported,
		Level: c.StorageLevel, LevelStreams: c.StorageLevelStreams, CollectTrainingStats: c.CollectTrainingStats}
}

// Validate checks the settings. An error names the setting.
func (c Config) Validate() error {
	for _, err := range []error{
		c.common().Validate(way),
		way.AtLeast("batchSizePerWorker", c.BatchSizePerWorker, 0),
		way.AtLeast("workerPrefetchBatches", c.WorkerPrefetchNumBatches, 0),
		way.AtLeast("debugLongerIterations", c.DebugLongerIterations, 0),
		c.VoidConfiguration.Validate(),
	} {
		if err != nil {
			return err
		}
	}
	if c.WorkersPerNode == 0 || c.WorkersPerNode < -1 {
		return way.Errorf("numWorkersPerNode is %d, it must be at least 1, or -1 for one worker in each slot",
			c.WorkersPerNode)
	}
	if err := c.algorithm().Validate(); err != nil {
		return way.Errorf("%w", err)
	}
	if c.ResidualPostProcessor != nil {
		if err := c.ResidualPostProcessor.Validate(); err != nil {
			return way.Errorf("%w", err)
		}
	}
	if c.Repartitioner != nil {
		return c.Repartitioner.Validate()
	}
	return nil
}

// algorithm returns the threshold algorithm with which a fit begins.
func (c Config) algorithm() threshold.Algorithm {
	switch {
	case c.UpdatesThreshold != 0 && c.adaptsByDefault():
		return AdaptiveAlgorithm(c.UpdatesThreshold)
	case c.ThresholdAlgorithm == nil:
		return DefaultAlgorithm()
	}
	return c.ThresholdAlgorithm
}

// adaptsByDefault reports whether no threshold algorithm was chosen.
func (c Config) adaptsByDefault() bool {
	return c.ThresholdAlgorithm == nil || same(c.ThresholdAlgorithm, DefaultAlgorithm())
}

// Minibatch returns the number of examples of a minibatch.
func (c Config) Minibatch() int {
	if c.BatchSizePerWorker == 0 {
		return c.RDDDataSetNumExamples
	}
	return c.BatchSizePerWorker
}

// Workers returns the number of workers on an engine, unless the repartitioner makes fewer partitions.
func (c Config) Workers(e engine.Engine) int {
	switch n := e.Slots(); {
	case c.NumWorkers > 0:
		return min(n, c.NumWorkers)
	case c.WorkersPerNode > 0 && !cluster(e):
		return min(n, c.WorkersPerNode)
	default:
		return n
	}
}

// longer returns the time by which each step is lengthened.
func (c Config) longer() time.Duration {
	return time.Duration(c.DebugLongerIterations) * time.Millisecond
}
