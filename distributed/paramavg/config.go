// Package paramavg trains by synchronous parameter averaging, Deeplearning4j's ParameterAveragingTrainingMaster. In
// each round, every worker trains a replica on its part of the round's examples. The mean of the replicas' parameters
// and updater states is the start of the next round.
package paramavg

import (
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
)

// Repartition chooses when the examples of a round are redistributed over the workers. With Never, worker p trains the
// examples of partition p in their order, unpermuted.
type Repartition = distributed.Repartition

const (
	Always                      = distributed.Always
	Never                       = distributed.Never
	NumPartitionsWorkersDiffers = distributed.NumPartitionsWorkersDiffers
)

// Strategy chooses how the examples of a round are spread over the workers (Deeplearning4j: RepartitionStrategy).
type Strategy = distributed.Strategy

// Balanced gives the workers equal counts, in contiguous ranges of the permuted order. SparkDefault assigns each
// example at random, by the seed, so counts differ. ApproximateBalanced is Balanced: counts are exact anyway.
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

// Config is the settings of a training master. It reads and writes Deeplearning4j's JSON and YAML; the fields without a
// name in them (RNGSeed, Outer, KeepExported) are not in Deeplearning4j's files either.
type Config struct {
	// RDDDataSetNumExamples is the number of examples in each object of the data set: 1 by default. Deeplearning4j
	// counts splits in these objects. Here rounds are counted in examples, so it has no effect, with a warning.
	RDDDataSetNumExamples int `dl4j:"rddDataSetNumExamples"`
	// NumWorkers is the number of workers of a round. 0, the default, means one for each slot of the engine, or for
	// each example if there are fewer.
	NumWorkers int `dl4j:"numWorkers,zeronull"`
	// BatchSizePerWorker is the examples of a minibatch: 16 by default.
	BatchSizePerWorker int `dl4j:"batchSizePerWorker"`
	// AveragingFrequency is the number of minibatches that each worker trains between two averagings: 5 by default.
	AveragingFrequency int `dl4j:"averagingFrequency"`
	// AggregationDepth is the number of levels of the tree in which results are added: 2 by default.
	AggregationDepth int `dl4j:"aggregationDepth"`
	// SaveUpdater averages the updater state, too. Without it each round starts from the state with which the fit
	// began. The default is true, as Deeplearning4j documents. Deeplearning4j differs: its code leaves false.
	SaveUpdater bool `dl4j:"saveUpdater"`
	// PrefetchNumBatches is how many minibatches a worker prepares in the background: 0 by default.
	PrefetchNumBatches int `dl4j:"prefetchNumBatches"`
	// Repartition and RepartitionStrategy: Always and Balanced by default.
	Repartition         Repartition `dl4j:"repartition"`
	RepartitionStrategy Strategy    `dl4j:"repartitionStrategy"`
	// StorageLevel keeps the data set between epochs (Direct): MEMORY_ONLY_SER by default.
	StorageLevel engine.StorageLevel `dl4j:"storageLevel,zeronull"`
	// StorageLevelStreams chooses where the content of exported files is kept during a fit: MEMORY_ONLY by default.
	StorageLevelStreams engine.StorageLevel `dl4j:"storageLevelStreams,zeronull"`
	// RDDTrainingApproach: Export by default.
	RDDTrainingApproach Approach `dl4j:"rddTrainingApproach"`
	// ExportDirectory is where Export makes its directory: the system's temporary directory by default.
	ExportDirectory string `dl4j:"exportDirectory,zeronull"`
	// CollectTrainingStats records the duration of each phase.
	CollectTrainingStats bool `dl4j:"collectTrainingStats"`

	// RNGSeed seeds the permutation of the examples and random assignments: 0 by default. Deeplearning4j draws a seed
	// from the clock if none is set.
	RNGSeed uint64
	// Outer is the optimiser by which the master moves the parameters. By default there is none, and the master
	// averages.
	Outer Outer
	// KeepExported leaves the exported files in place (Deeplearning4j: deleteTempFiles(false)).
	KeepExported bool

	Inert dl4j.Inert
}

// InertFields lists the members of Deeplearning4j's JSON that have no effect on Go workers; docs/dl4j/averaging.md
// gives the reasons.
func (Config) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "broadcastHadoopConfig"}, {Name: "statsStorage"}, {Name: "trainingHookList"},
		{Name: "workerPeriodicGCFrequency"}, {Name: "workerTogglePeriodicGC"}}
}

// Default returns the defaults for a data set whose objects hold one example.
func Default() Config {
	return Config{
		RDDDataSetNumExamples: 1, BatchSizePerWorker: 16, AveragingFrequency: 5, AggregationDepth: 2, SaveUpdater: true,
		Repartition: Always, RepartitionStrategy: Balanced, StorageLevel: engine.MemoryOnlySer,
		StorageLevelStreams: engine.MemoryOnly, RDDTrainingApproach: Export,
	}
}

// way begins errors and lines of the log.
const way masters.Way = "parameter averaging"

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
		way.AtLeast("batchSizePerWorker", c.BatchSizePerWorker, 1),
		way.AtLeast("averagingFrequency", c.AveragingFrequency, 1),
		way.AtLeast("aggregationDepth", c.AggregationDepth, 1),
		way.AtLeast("prefetchNumBatches", c.PrefetchNumBatches, 0),
		c.Outer.Validate(),
	} {
		if err != nil {
			return err
		}
	}
	return c.common().Validate(way)
}

// averagesUpdater reports whether the updater state is averaged.
func (c Config) averagesUpdater() bool { return c.SaveUpdater && c.Outer.Rule == NoOuter }

// ineffective returns warnings about changed settings that have no effect beside the others.
func (c Config) ineffective() []string {
	w := masters.Warnings{Way: way}
	d := Default()
	w.Say(c.RDDDataSetNumExamples != d.RDDDataSetNumExamples,
		"rddDataSetNumExamples has no effect: splits are counted in examples")
	c.common().Ineffective(&w, d.common())
	w.Say(c.Outer.Rule != NoOuter && c.SaveUpdater != d.SaveUpdater,
		"saveUpdater has no effect with an outer optimiser: each worker keeps its own updater state")
	never := c.Repartition == Never
	w.Say(never && c.NumWorkers != 0, "numWorkers has no effect with repartition Never: each partition is a worker's")
	w.Say(never && c.RepartitionStrategy != d.RepartitionStrategy,
		"repartitionStrategy has no effect with repartition Never")
	return w.Said
}

// JSON writes the settings in the form of Deeplearning4j's toJson.
func (c Config) JSON() ([]byte, error) { return dl4j.Marshal(c) }

// YAML writes the settings in the form of Deeplearning4j's toYaml.
func (c Config) YAML() ([]byte, error) { return masters.YAML(c) }

// FromJSON reads settings written by Deeplearning4j or JSON.
func FromJSON(text []byte) (Config, error) { return masters.ReadJSON(text, Default()) }

// FromYAML reads settings written by Deeplearning4j or YAML.
func FromYAML(text []byte) (Config, error) { return masters.ReadYAML(text, Default()) }
