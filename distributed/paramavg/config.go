// Package paramavg trains by synchronous parameter averaging, Deeplearning4j's ParameterAveragingTrainingMaster. In
// each round, every worker trains a replica on its part of a split of the data. The mean of the replicas' parameters
// and updater states is the start of the next round.
package paramavg

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
)

// Repartition chooses when the examples of a split are redistributed over the workers. With Never, worker p trains the
// examples of partition p in their order, unpermuted.
type Repartition = distributed.Repartition

const (
	Always                      = distributed.Always
	Never                       = distributed.Never
	NumPartitionsWorkersDiffers = distributed.NumPartitionsWorkersDiffers
)

// Strategy chooses how the examples of a split are spread over the workers (Deeplearning4j: RepartitionStrategy).
type Strategy = distributed.Strategy

// Balanced gives the workers equal counts, in contiguous ranges of the permuted order. SparkDefault assigns each
// example at random, by the seed, so counts differ. ApproximateBalanced is Balanced: splits by index are exact anyway.
const (
	Balanced                     = distributed.Balanced
	SparkDefault                 = distributed.SparkDefault
	ApproximateBalanced Strategy = "ApproximateBalanced"
)

// Approach chooses the data that workers train from: Export, the default, or Direct.
type Approach = distributed.Approach

const (
	Export = distributed.Export
	Direct = distributed.Direct
)

// Config is the settings of a training master. It reads and writes Deeplearning4j's JSON and YAML; the fields without a
// name in them (RNGSeed, KeepExported) are not in Deeplearning4j's files either.
type Config struct {
	// RDDDataSetNumExamples is the number of examples in each object of the data set: 1 by default. Deeplearning4j
	// counts splits in these objects. Here splits are counted in examples, so it has no effect, with a warning.
	RDDDataSetNumExamples int `dl4j:"rddDataSetNumExamples"`
	// NumWorkers is the number of workers of a split; 0, the default, means one for each slot of the engine, or for each
	// example where these are fewer.
	NumWorkers int `dl4j:"numWorkers,zeronull"`
	// BatchSizePerWorker is the examples of a minibatch: 16 by default.
	BatchSizePerWorker int `dl4j:"batchSizePerWorker"`
	// AveragingFrequency is the number of minibatches that each worker trains between two averagings: 5 by default.
	AveragingFrequency int `dl4j:"averagingFrequency"`
	// AggregationDepth is the number of levels of the tree in which results are added: 2 by default.
	AggregationDepth int `dl4j:"aggregationDepth"`
	// SaveUpdater averages the updater state too; without it each split starts from the state that the fit began with.
	// The default is true, as Deeplearning4j documents. Deeplearning4j differs: its code leaves false.
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

// Default gives the defaults for a data set whose objects hold one example.
func Default() Config {
	return Config{
		RDDDataSetNumExamples: 1, BatchSizePerWorker: 16, AveragingFrequency: 5, AggregationDepth: 2, SaveUpdater: true,
		Repartition: Always, RepartitionStrategy: Balanced, StorageLevel: engine.MemoryOnlySer,
		StorageLevelStreams: engine.MemoryOnly, RDDTrainingApproach: Export,
	}
}

// Validate checks the settings. An error names the setting.
func (c Config) Validate() error {
	atLeast := func(name string, value, least int) error {
		if value < least {
			return fmt.Errorf("parameter averaging: %s is %d, it must be at least %d", name, value, least)
		}
		return nil
	}
	for _, err := range []error{
		atLeast("rddDataSetNumExamples", c.RDDDataSetNumExamples, 1),
		atLeast("numWorkers", c.NumWorkers, 0),
		atLeast("batchSizePerWorker", c.BatchSizePerWorker, 1),
		atLeast("averagingFrequency", c.AveragingFrequency, 1),
		atLeast("aggregationDepth", c.AggregationDepth, 1),
		atLeast("prefetchNumBatches", c.PrefetchNumBatches, 0),
		oneOf("repartition", c.Repartition, Always, Never, NumPartitionsWorkersDiffers),
		oneOf("repartitionStrategy", c.RepartitionStrategy, Balanced, SparkDefault, ApproximateBalanced),
		oneOf("rddTrainingApproach", c.RDDTrainingApproach, Export, Direct),
	} {
		if err != nil {
			return err
		}
	}
	for _, level := range []engine.StorageLevel{c.StorageLevel, c.StorageLevelStreams} {
		if _, err := engine.ParseStorageLevel(string(level)); err != nil {
			return fmt.Errorf("parameter averaging: %w", err)
		}
	}
	return nil
}

// ineffective says which settings, changed from the defaults, have no effect beside the others, and why.
func (c Config) ineffective() []string {
	var w []string
	d := Default()
	say := func(set bool, format string, args ...any) {
		if set {
			w = append(w, "parameter averaging: "+fmt.Sprintf(format, args...))
		}
	}
	say(c.RDDDataSetNumExamples != d.RDDDataSetNumExamples, "rddDataSetNumExamples has no effect: splits are counted in examples")
	export := c.RDDTrainingApproach == Export
	say(export && c.StorageLevel != d.StorageLevel, "storageLevel has no effect with Export: storageLevelStreams says how exported examples are kept")
	say(!export && c.StorageLevelStreams != d.StorageLevelStreams, "storageLevelStreams has no effect with Direct: storageLevel says how examples are kept")
	say(!export && c.ExportDirectory != "", "exportDirectory has no effect with Direct")
	say(!export && c.KeepExported, "keeping exported files has no effect with Direct")
	say(c.Repartition == Never && c.NumWorkers != 0, "numWorkers has no effect with repartition Never: each partition is a worker's")
	say(c.Repartition == Never && c.RepartitionStrategy != d.RepartitionStrategy, "repartitionStrategy has no effect with repartition Never")
	return w
}

func oneOf[T ~string](name string, value T, all ...T) error {
	if slices.Contains(all, value) {
		return nil
	}
	return fmt.Errorf("parameter averaging: %s is %q, it must be one of %q", name, value, all)
}

// JSON gives the settings as Deeplearning4j's toJson does.
func (c Config) JSON() ([]byte, error) { return dl4j.Marshal(c) }

// YAML gives the settings as Deeplearning4j's toYaml does.
func (c Config) YAML() ([]byte, error) {
	tree, err := dl4j.ToTree(c)
	if err != nil {
		return nil, err
	}
	return dl4j.FormatYAML(tree)
}

// FromJSON reads settings that Deeplearning4j or JSON wrote.
func FromJSON(text []byte) (Config, error) {
	c := Default()
	if err := dl4j.Unmarshal(text, &c); err != nil {
		return Config{}, err
	}
	return c, c.Validate()
}

// FromYAML reads settings that Deeplearning4j or YAML wrote.
func FromYAML(text []byte) (Config, error) {
	c := Default()
	tree, err := dl4j.ParseYAML(string(text))
	if err != nil {
		return Config{}, err
	}
	if err := dl4j.FromTree(tree, &c); err != nil {
		return Config{}, err
	}
	return c, c.Validate()
}
