package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn/zoo"
)

// The values of --training.
const (
	byAveraging = "averaging"
	bySharing   = "sharing"
	byPlain     = "plain"
)

// Without flags, few examples are trained in small minibatches and often, so that there are steps enough.
const (
	defaultEpochs    = 3
	defaultBatch     = 64
	fewExamples      = 10_000
	epochsOfFew      = 15
	batchOfFew       = 16
	defaultFrequency = 5
)

// trainFlags are what dl4go train is asked for.
type trainFlags struct {
	engineFlags
	query                                                queryFlags
	model, dataSpec, testSpec, training, save, normalize string
	epochs, iterations, batch, pretrain                  int
	seed                                                 int64
	withoutUpdater, noNormalizer, dryRun, json           bool

	conf                                                        paramavg.Config
	repartition, strategy, storageLevel, streamsLevel, approach string

	residents   residentFlags
	sharing     sharingFlags
	stats       statsFlags
	checkpoints checkpointFlags
	early       earlyFlags
	preStop     earlyFlags // of pretraining
}

// distributedOnly lists the flags that say something about training by workers alone, averagingOnly and sharingOnly those
// of one way.
var (
	distributedOnly = append([]string{"master", "workers", "storage-level", "storage-level-streams", "approach", "export-directory",
		"keep-exported", "prefetch", "stats", "stats-file", "time-server", "time-frequency"}, clusterFlags...)
	averagingOnly = []string{"averaging-frequency", "aggregation-depth", "save-updater", "repartition", "repartition-strategy", "rounds"}
)

func trainCommand() *cobra.Command {
	f := &trainFlags{conf: paramavg.Default()}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a network, by workers or in one process",
		Long: `Train a network and save it as a Deeplearning4j model zip, after every epoch.

  dl4go train                                            handwritten digits, 2 workers
  dl4go train --data csv:iris.csv?label=4 --normalize standardize --epochs 50
  dl4go train --model model.zip --data dl4j:batches/     training goes on from a model
  dl4go train --master sc://HOST:PORT --data 'sql:SELECT features, label FROM t' --classes 10
  dl4go train --training plain --data dl4j:batch.bin --model configuration.json --iterations 5
  dl4go train --checkpoint run/ --epochs 50              what a kill leaves can go on:
  dl4go train --resume run/
  dl4go train --checkpoint s3://bucket/run               on another machine, too

Averaging: in each round, every worker trains --averaging-frequency minibatches of --batch examples, and then their
parameters and updater states are averaged. Sharing: every worker trains on, and sends the others what its steps
change, compressed; results differ from run to run. Plain: one process; the minibatches of saved DataSets are trained as they
are and in the files' order, unless --batch is given. Without --test, digits hold their test part out.

The score of an epoch is the mean over its examples, before the updates. With --iterations it is that of the last
minibatch. The same seed, data, workers and kernel give the same model, byte for byte, whatever the threads.

A checkpoint has the network and how far its training is; the last two are kept. --resume goes on in the middle of an
epoch, with the flags that the run had, from the same directory: averaging and plain training as if there had been no
break, byte for byte; of sharing, what was committed is not trained again. --master, --epochs and what has no influence on
the result may be given anew. When a run is done, --resume with more --epochs trains on. One run at a time has a
directory; one on S3 or HDFS (s3://, hdfs://) whose run died is free after --checkpoint-lease, for which --resume waits.
` + earlyHelp + `
Built-in networks, which fit the data:`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	for _, n := range zoo.Names() {
		cmd.Long += fmt.Sprintf("\n  %-9s %s", n, zoo.About(n))
	}
	fs.StringVar(&f.model, "model", "", "a model zip, a configuration's JSON or YAML, or a built-in `NAME` (default: lenet for images, else mlp)")
	fs.StringVar(&f.dataSpec, "data", "digits:train", "training data: a `SOURCE`, see dl4go --help")
	fs.StringVar(&f.testSpec, "test", "", "held-out data, a `SOURCE`, on which each epoch is evaluated; none for none")
	fs.StringVar(&f.training, "training", byAveraging, "averaging, sharing or plain")
	fs.IntVar(&f.epochs, "epochs", 0, fmt.Sprintf("passes over the data (default: %d; %d where there are less than %d examples)",
		defaultEpochs, epochsOfFew, fewExamples))
	fs.IntVar(&f.iterations, "iterations", 0, "train so many minibatches (of each worker) in all instead, and count no epoch; a minibatch counts once, also where truncated "+
		"back-propagation makes several iterations of it")
	fs.IntVar(&f.pretrain, "pretrain", 0, "plain: `EPOCHS` for which the network's autoencoders are trained first, each without labels")
	f.preStop.add(fs, "pretrain-stopping", "end the pretraining of each autoencoder when held-out data says so, and go on from its best epoch: `SETTINGS`, as patience=5 (above)")
	fs.IntVar(&f.batch, "batch", 0, fmt.Sprintf("examples of a minibatch (default: %d; %d where there are less than %d examples)",
		defaultBatch, batchOfFew, fewExamples))
	fs.Int64Var(&f.seed, "seed", defaultSeed, "seed of parameters, order and dropout (default of models and configurations: theirs)")
	fs.StringVar(&f.normalize, "normalize", "", "fit a normalizer on the training data, and save it in the model: standardize or minmax")
	fs.BoolVar(&f.noNormalizer, "no-normalizer", false, "do not apply the model's normalizer")
	fs.StringVar(&f.save, "save", "model.zip", "`FILE` for the model zip")
	fs.BoolVar(&f.withoutUpdater, "without-updater", false, "save the model without its updater state")
	f.early.add(fs, "early-stopping", "end when held-out data says so, and save the best network: `SETTINGS`, as patience=5,metric=accuracy (above)")
	f.checkpoints.add(fs)
	fs.BoolVar(&f.dryRun, "dry-run", false, "print splits, memory and bytes, and train nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, an object a line; the last has \"event\":\"done\"")
	f.engineFlags.add(fs, "local[2]")
	f.query.add(fs)
	m := &f.conf
	fs.IntVar(&m.AveragingFrequency, "averaging-frequency", defaultFrequency, "minibatches of a worker between two averagings")
	fs.IntVar(&m.NumWorkers, "workers", 0, "workers of a round (default: those of --master)")
	fs.IntVar(&m.AggregationDepth, "aggregation-depth", m.AggregationDepth, "levels of the tree in which results are added")
	fs.BoolVar(&m.SaveUpdater, "save-updater", m.SaveUpdater, "average the updater state too")
	fs.StringVar(&f.repartition, "repartition", string(m.Repartition), "Always, Never or NumPartitionsWorkersDiffers")
	fs.StringVar(&f.strategy, "repartition-strategy", string(m.RepartitionStrategy), "Balanced, SparkDefault or ApproximateBalanced")
	fs.StringVar(&f.approach, "approach", "direct", "train from the data (direct), or from files exported once (export)")
	fs.StringVar(&m.ExportDirectory, "export-directory", "", "`DIRECTORY` to export to (default: the temporary directory; on Spark, whose storage it is, a table)")
	fs.BoolVar(&m.KeepExported, "keep-exported", false, "leave the exported data in place, for --data dl4j:DIRECTORY")
	fs.StringVar(&f.storageLevel, "storage-level", string(engine.MemoryOnly), "where the data is kept between epochs (direct)")
	fs.StringVar(&f.streamsLevel, "storage-level-streams", string(m.StorageLevelStreams), "where exported data is kept during an epoch")
	fs.IntVar(&m.PrefetchNumBatches, "prefetch", m.PrefetchNumBatches, "minibatches that each worker prepares ahead")
	fs.BoolVar(&m.CollectTrainingStats, "stats", false, "print how long each phase of training took")
	f.stats.add(fs)
	f.residents.add(fs)
	f.sharing.add(fs)
	return cmd
}

// check refuses flags that make no sense, alone or together.
func (f *trainFlags) check(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if f.training, err = choose("training", f.training, byAveraging, bySharing, byPlain); err != nil {
		return err
	}
	if err := positive(cmd, "epochs", "iterations", "pretrain", "batch", "threads", "averaging-frequency", "workers", "aggregation-depth"); err != nil {
		return err
	}
	if given("epochs") && given("iterations") {
		return usagef("--epochs and --iterations can't be given together")
	}
	for _, only := range []struct {
		flags []string
		about string
		fits  bool
	}{
		{distributedOnly, "workers", f.training != byPlain},
		{averagingOnly, "parameter averaging", f.training == byAveraging},
		{sharingOnly, "gradient sharing", f.training == bySharing},
		{[]string{"pretrain", "pretrain-stopping"}, "plain training", f.training == byPlain},
	} {
		for _, name := range only.flags {
			if given(name) && !only.fits {
				return usagef("--%s is about %s: it has no effect with --training %s", name, only.about, f.training)
			}
		}
	}
	if err := f.stats.check(&f.conf, given); err != nil {
		return err
	}
	if err := f.residents.check(f.training, given); err != nil {
		return err
	}
	if given("iterations") && f.training == bySharing {
		return usagef("--iterations can't be given with --training sharing, whose workers train whole epochs")
	}
	if err := f.query.check(f.dataSpec, f.testSpec); err != nil {
		return err
	}
	if f.training == byPlain && (isQuery(f.dataSpec) || isQuery(f.testSpec)) {
		return usagef("sql: is read by a cluster's workers: --training plain runs in one process, on this machine's data")
	}
	if f.normalize != "" {
		if f.normalize, err = choose("normalize", f.normalize, "standardize", "minmax"); err != nil {
			return err
		}
		if f.noNormalizer {
			return usagef("--normalize and --no-normalizer can't be given together")
		}
	}
	if f.save == "" {
		return usagef("--save: a file's name is needed")
	}
	if err := f.early.check(given, f.save); err != nil {
		return err
	}
	if err := f.preStop.checkPretraining(); err != nil {
		return err
	}
	if f.preStop.on() && f.pretrain == 0 {
		f.pretrain = epochsAtMost
	}
	return f.checkMaster(given)
}

func (f *trainFlags) checkMaster(given func(string) bool) (err error) {
	m := &f.conf
	if m.Repartition, err = choose("repartition", f.repartition, paramavg.Always, paramavg.Never, paramavg.NumPartitionsWorkersDiffers); err != nil {
		return err
	}
	m.RepartitionStrategy, err = choose("repartition-strategy", f.strategy, paramavg.Balanced, paramavg.SparkDefault, paramavg.ApproximateBalanced)
	if err != nil {
		return err
	}
	if m.RDDTrainingApproach, err = choose("approach", f.approach, paramavg.Direct, paramavg.Export); err != nil {
		return err
	}
	for _, l := range []struct {
		flag, value string
		to          *engine.StorageLevel
		approach    paramavg.Approach
	}{
		{"storage-level", f.storageLevel, &m.StorageLevel, paramavg.Direct},
		{"storage-level-streams", f.streamsLevel, &m.StorageLevelStreams, paramavg.Export},
		{"export-directory", "", nil, paramavg.Export}, {"keep-exported", "", nil, paramavg.Export},
	} {
		if given(l.flag) && l.approach != m.RDDTrainingApproach {
			return usagef("--%s goes with --approach %s", l.flag, strings.ToLower(string(l.approach)))
		}
		if l.to == nil || l.approach != m.RDDTrainingApproach {
			continue
		}
		if *l.to, err = engine.ParseStorageLevel(strings.ToUpper(l.value)); err != nil {
			return usagef("--%s: %w", l.flag, err)
		}
	}
	return nil
}
