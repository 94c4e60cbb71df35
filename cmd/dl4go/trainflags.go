package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/material"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/train"
)

// The values of --training.
const (
	byAveraging = "averaging"
	bySharing   = "sharing"
	byPlain     = "plain"
)

// trainFlags are the flags of dl4go train.
type trainFlags struct {
	engineFlags
	material.Settings
	settings                            dataFlags
	training, save, augment             string
	classWeights, folds, memory         string
	epochs, iterations, batch, pretrain int
	metrics                             []string
	withoutUpdater, dryRun, json, force bool

	conf                                                        paramavg.Config
	repartition, strategy, storageLevel, streamsLevel, approach string

	shape       shapeFlags
	prepared    prepareFlags
	residents   residentFlags
	outer       outerFlags
	frequency   usage.Auto
	sharing     sharingFlags
	stats       statsFlags
	ui          uiFlags
	diagnosis   diagnosisFlags
	checkpoints checkpointFlags
	early       stoppingFlag
	preStop     stoppingFlag // of pretraining
}

// distributedOnly lists the flags that only apply to training by workers, averagingOnly and sharingOnly those of one
// method.
var (
	distributedOnly = append([]string{"master", "workers", "storage-level", "storage-level-streams", "approach",
		"export-directory",
		"keep-exported", "prefetch", "stats", "time-server", "time-frequency"}, workplace.ClusterFlags...)
	averagingOnly = []string{"averaging-frequency", "aggregation-depth", "save-updater", "repartition",
		"repartition-strategy", "rounds", "outer", "outer-learning-rate", "outer-momentum"}
)

func trainCommand() *cobra.Command {
	f := &trainFlags{conf: paramavg.Default()}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a network, with workers or in one process",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Model, "model", "", "`NAME` model zip, configuration or built-in network")
	fs.StringVar(&f.Data, "data", "digits:train", "`SOURCE` training data")
	fs.StringVar(&f.Test, "test", "", "`SOURCE` held-out data, scored each epoch; none for none")
	fs.StringSliceVar(&f.metrics, "metrics", nil, "`NAMES` more scores of held-out data, such as f1,auc")
	fs.StringVar(&f.training, "training", byAveraging, "`HOW` averaging, sharing or plain")
	fs.IntVar(&f.epochs, "epochs", 0, "`N` passes over the data (default 3; small data 15)")
	fs.IntVar(&f.iterations, "iterations", 0, "`N` train N minibatches per worker instead of epochs")
	fs.IntVar(&f.pretrain, "pretrain", 0, "`N` plain: train autoencoders for N epochs first")
	f.preStop.add(fs, "pretrain-stopping", "`SETTINGS` plain: end pretraining by held-out data")
	fs.IntVar(&f.batch, "batch", 0, "`N` minibatch size (default 64; small data 16)")
	fs.Int64Var(&f.Seed, "seed", modelfile.DefaultSeed, "`N` random seed (default 1, or that of the model)")
	fs.StringVar(&f.Normalize, "normalize", "", "`HOW` fit a normalizer: standardize or minmax")
	fs.StringVar(&f.augment, "augment", "none", "`LIST` change pictures at random: flip,crop:4,rotate:15,…")
	fs.StringVar(&f.classWeights, "class-weights", "", "`HOW` balanced, or a file of classes and weights")
	fs.StringVar(&f.folds, "cross-validate", "", "`K` folds, each scored by a network of the others")
	fs.BoolVar(&f.NoNormalizer, "no-normalizer", false, "do not apply the model's normalizer")
	addByPosition(fs, &f.ByPosition)
	fs.StringVar(&f.save, "save", "model.zip", "`FILE` model zip to write")
	fs.BoolVar(&f.force, "force", false, "overwrite a model of another label or network")
	fs.BoolVar(&f.withoutUpdater, "without-updater", false, "leave the updater state out of the model zip")
	f.shape.add(fs)
	f.prepared.add(fs, &f.Columns)
	f.early.add(fs, "early-stopping", "`SETTINGS` end by held-out data, such as patience=5")
	f.checkpoints.add(fs)
	fs.BoolVar(&f.dryRun, "dry-run", false, "print rounds, memory and bytes; train nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.engineFlags.add(fs, "local[2]")
	fs.StringVar(&f.memory, "memory", "", "`SIZE` of the run; more data goes to disk (default: 3/4)")
	f.addDevice(fs)
	f.addSharing(fs)
	m := &f.conf
	f.frequency.N = &m.AveragingFrequency
	fs.Var(&f.frequency, "averaging-frequency", "`N` minibatches between averagings, or auto: by measured times")
	fs.IntVar(&m.NumWorkers, "workers", 0, "`N` number of workers (default: those of --master)")
	fs.IntVar(&m.AggregationDepth, "aggregation-depth", m.AggregationDepth, "`N` levels of the tree that adds results")
	fs.BoolVar(&m.SaveUpdater, "save-updater", m.SaveUpdater, "average the updater state too")
	fs.StringVar(&f.repartition, "repartition", string(m.Repartition), "`WHEN` when to redistribute the data")
	fs.StringVar(&f.strategy, "repartition-strategy", string(m.RepartitionStrategy), "`HOW` how to redistribute it")
	fs.StringVar(&f.approach, "approach", "direct", "`HOW` direct, or export to files first")
	fs.StringVar(&m.ExportDirectory, "export-directory", "", "`DIR` where to export (default: temporary, or a table)")
	fs.BoolVar(&m.KeepExported, "keep-exported", false, "keep the export, for --data dl4j:DIR")
	fs.StringVar(&f.storageLevel, "storage-level", string(engine.MemoryOnly), "`LEVEL` direct: how Spark keeps the data")
	fs.StringVar(&f.streamsLevel, "storage-level-streams", string(m.StorageLevelStreams), "`LEVEL` export: the same")
	fs.IntVar(&m.PrefetchNumBatches, "prefetch", m.PrefetchNumBatches, "`N` minibatches that each worker prepares ahead")
	fs.BoolVar(&m.CollectTrainingStats, "stats", false, "print how long each phase took")
	f.stats.add(fs)
	f.ui.add(fs)
	f.diagnosis.add(fs)
	f.outer.add(fs)
	f.residents.add(fs)
	f.sharing.add(fs)
	f.settings.add(fs)
	return cmd
}

// check refuses flags that are invalid, alone or together.
func (f *trainFlags) check(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if f.training, err = usage.Choose("training", f.training, byAveraging, bySharing, byPlain); err != nil {
		return err
	}
	if err := arguments.Positive(cmd, "epochs", "iterations", "pretrain", "batch", "threads", "workers",
		"aggregation-depth"); err != nil {
		return err
	}
	for _, name := range f.metrics {
		if err := train.CheckMetric(name); err != nil {
			return usagef("--metrics: %w", err)
		}
	}
	if err := usage.Apart(given, "epochs", "iterations"); err != nil {
		return err
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
		if only.fits {
			continue
		}
		if err := usage.NoEffect(given, only.about, "--training "+f.training, only.flags...); err != nil {
			return err
		}
	}
	err = cmp.Or(f.stats.check(&f.conf, given), f.ui.check(given), f.residents.check(f.training, given),
		f.diagnosis.check(cmd))
	if err != nil {
		return err
	}
	if given("iterations") && f.training == bySharing {
		return usagef("--iterations can't be given with --training sharing, whose workers train whole epochs")
	}
	if err := f.settings.Check(f.Data, f.Test); err != nil {
		return err
	}
	for _, spec := range []string{f.Data, f.Test} {
		if f.training == byPlain && workplace.Queried(spec) {
			return usagef("%s: is read by a cluster's workers: --training plain runs in one process, on this machine's data",
				source.KindIn(spec))
		}
	}
	if f.Normalize != "" {
		if f.Normalize, err = usage.Choose("normalize", f.Normalize, "standardize", "minmax"); err != nil {
			return err
		}
		if f.NoNormalizer {
			return usagef("--normalize and --no-normalizer can't be given together")
		}
	}
	if f.Wish, err = f.shape.wish(given); err != nil {
		return err
	}
	if err := f.prepared.check(given, f.Test); err != nil {
		return err
	}
	return cmp.Or(f.checkFolds(given), f.checkSave(), f.checkStopping(given), f.checkMaster(given))
}

// checkSave refuses names that a model can't have.
func (f *trainFlags) checkSave() error {
	if f.save == "" {
		return usagef("--save: a file's name is needed")
	}
	return ours("--save", f.save)
}

// checkStopping reads the settings of early stopping.
func (f *trainFlags) checkStopping(given func(string) bool) error {
	if err := f.early.read(train.ParseStopping); err != nil {
		return err
	}
	if err := f.preStop.read(train.ParsePretrainingStopping); err != nil {
		return err
	}
	if s := f.early.stopping; s != nil {
		if err := usage.Apart(given, "early-stopping", "iterations"); err != nil {
			return err
		}
		return ours("--early-stopping: latest", s.Latest)
	}
	return nil
}

// checkMaster reads the settings of the training master.
func (f *trainFlags) checkMaster(given func(string) bool) (err error) {
	m := &f.conf
	if m.Repartition, err = usage.Choose("repartition", f.repartition, paramavg.Always, paramavg.Never,
		paramavg.NumPartitionsWorkersDiffers); err != nil {
		return err
	}
	m.RepartitionStrategy, err = usage.Choose("repartition-strategy", f.strategy, paramavg.Balanced, paramavg.SparkDefault,
		paramavg.ApproximateBalanced)
	if err != nil {
		return err
	}
	if m.RDDTrainingApproach, err = usage.Choose("approach", f.approach, paramavg.Direct, paramavg.Export); err != nil {
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
	return f.outer.check(m, given)
}

// ours refuses the extensions of files that are no model zips.
func ours(flag, path string) error {
	if err := modelfile.CheckName(path); err != nil {
		return usagef("%s %s: %w", flag, path, err)
	}
	return nil
}
