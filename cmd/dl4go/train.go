package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/zoo"
	"github.com/dl4go/dl4go/program/cpu"
	"github.com/dl4go/dl4go/storage"
)

// The values of --training.
const (
	byAveraging = "averaging"
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
	model, dataSpec, testSpec, training, save, normalize string
	epochs, iterations, batch                            int
	seed                                                 int64
	withoutUpdater, noNormalizer, dryRun, json           bool

	conf                                                        paramavg.Config
	repartition, strategy, storageLevel, streamsLevel, approach string
}

// averagingOnly lists the flags that say something about parameter averaging alone.
var averagingOnly = []string{"averaging-frequency", "master", "workers", "aggregation-depth", "save-updater", "repartition",
	"repartition-strategy", "storage-level", "storage-level-streams", "approach", "export-directory", "keep-exported",
	"prefetch", "stats"}

func trainCommand() *cobra.Command {
	f := &trainFlags{conf: paramavg.Default()}
	cmd := &cobra.Command{
		Use:   "train",
		Short: "Train a network, by parameter averaging over workers or in one process",
		Long: `Train a network and save it as a Deeplearning4j model zip, after every epoch.

  dl4go train                                            handwritten digits, 2 workers
  dl4go train --data csv:iris.csv?label=4 --normalize standardize --epochs 50
  dl4go train --model model.zip --data dl4j:batches/     training goes on from a model
  dl4go train --training plain --data dl4j:batch.bin --model configuration.json --iterations 5

Averaging: in each round, every worker trains --averaging-frequency minibatches of --batch examples, and then their
parameters and updater states are averaged. Plain: one process; the minibatches of saved DataSets are trained as they
are and in the files' order, unless --batch is given. Without --test, digits hold their test part out.

The score of an epoch is the mean over its examples, before the updates. With --iterations it is that of the last
minibatch. The same seed, data, workers and kernel give the same model, byte for byte, whatever the threads.

Built-in networks, which fit the data:`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	for _, n := range zoo.Names() {
		cmd.Long += fmt.Sprintf("\n  %-9s %s", n, zoo.About(n))
	}
	fs.StringVar(&f.model, "model", "", "a model zip, a configuration.json, or a built-in `NAME` (default: lenet for images, else mlp)")
	fs.StringVar(&f.dataSpec, "data", "digits:train", "training data: a `SOURCE`, see dl4go --help")
	fs.StringVar(&f.testSpec, "test", "", "held-out data, a `SOURCE`, on which each epoch is evaluated; none for none")
	fs.StringVar(&f.training, "training", byAveraging, "averaging or plain")
	fs.IntVar(&f.epochs, "epochs", 0, fmt.Sprintf("passes over the data (default: %d; %d where there are less than %d examples)",
		defaultEpochs, epochsOfFew, fewExamples))
	fs.IntVar(&f.iterations, "iterations", 0, "train so many minibatches (of each worker) in all instead, and count no epoch")
	fs.IntVar(&f.batch, "batch", 0, fmt.Sprintf("examples of a minibatch (default: %d; %d where there are less than %d examples)",
		defaultBatch, batchOfFew, fewExamples))
	fs.Int64Var(&f.seed, "seed", defaultSeed, "seed of parameters, order and dropout (default of models and configurations: theirs)")
	fs.StringVar(&f.normalize, "normalize", "", "fit a normalizer on the training data, and save it in the model: standardize or minmax")
	fs.BoolVar(&f.noNormalizer, "no-normalizer", false, "do not apply the model's normalizer")
	fs.StringVar(&f.save, "save", "model.zip", "`FILE` for the model zip")
	fs.BoolVar(&f.withoutUpdater, "without-updater", false, "save the model without its updater state")
	fs.BoolVar(&f.dryRun, "dry-run", false, "print splits, memory and bytes, and train nothing")
	fs.BoolVar(&f.json, "json", false, "print JSON, an object a line; the last has \"event\":\"done\"")
	f.engineFlags.add(fs, "local[2]")
	m := &f.conf
	fs.IntVar(&m.AveragingFrequency, "averaging-frequency", defaultFrequency, "minibatches of a worker between two averagings")
	fs.IntVar(&m.NumWorkers, "workers", 0, "workers of a round (default: those of --master)")
	fs.IntVar(&m.AggregationDepth, "aggregation-depth", m.AggregationDepth, "levels of the tree in which results are added")
	fs.BoolVar(&m.SaveUpdater, "save-updater", m.SaveUpdater, "average the updater state too")
	fs.StringVar(&f.repartition, "repartition", string(m.Repartition), "Always, Never or NumPartitionsWorkersDiffers")
	fs.StringVar(&f.strategy, "repartition-strategy", string(m.RepartitionStrategy), "Balanced, SparkDefault or ApproximateBalanced")
	fs.StringVar(&f.approach, "approach", "direct", "train from the data (direct), or from files exported once (export)")
	fs.StringVar(&m.ExportDirectory, "export-directory", "", "where to export (default: the temporary directory)")
	fs.BoolVar(&m.KeepExported, "keep-exported", false, "leave exported files in place")
	fs.StringVar(&f.storageLevel, "storage-level", string(m.StorageLevel), "where the data is kept between epochs (direct)")
	fs.StringVar(&f.streamsLevel, "storage-level-streams", string(m.StorageLevelStreams), "where exported data is kept during an epoch")
	fs.IntVar(&m.PrefetchNumBatches, "prefetch", m.PrefetchNumBatches, "minibatches that each worker prepares ahead")
	fs.BoolVar(&m.CollectTrainingStats, "stats", false, "print how long each phase of training took")
	return cmd
}

// check refuses flags that make no sense, alone or together.
func (f *trainFlags) check(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if f.training, err = choose("training", f.training, byAveraging, byPlain); err != nil {
		return err
	}
	if err := positive(cmd, "epochs", "iterations", "batch", "threads", "averaging-frequency", "workers", "aggregation-depth"); err != nil {
		return err
	}
	if given("epochs") && given("iterations") {
		return usagef("--epochs and --iterations can't be given together")
	}
	if f.training == byPlain {
		for _, name := range averagingOnly {
			if given(name) {
				return usagef("--%s is about parameter averaging: it has no effect with --training plain, which runs in one process", name)
			}
		}
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
		if l.to == nil {
			continue
		}
		if *l.to, err = engine.ParseStorageLevel(strings.ToUpper(l.value)); err != nil {
			return usagef("--%s: %w", l.flag, err)
		}
	}
	return nil
}

// training is a run of dl4go train, ready to begin.
type training struct {
	*trainFlags
	out        *output
	begin      time.Time
	net        *network
	train      source.Source
	test       source.Source // nil if nothing is held out
	variant    *kernel.Variant
	engine     engine.Engine
	trainer    trainer
	heldOut    *distributed.Data
	rounds     paramavg.Rounds // of an epoch, of averaging
	savedAt    string          // what the saved model is; empty before
	normalizes string          // how features are normalized; empty if they are not
}

func (f *trainFlags) run(cmd *cobra.Command) error {
	t := &training{trainFlags: f, out: newOutput(cmd, f.json), begin: time.Now()}
	ctx := cmd.Context()
	if err := f.check(cmd); err != nil {
		return err
	}
	var err error
	if t.variant, err = f.variant(); err != nil {
		return err
	}
	if err := t.open(ctx, cmd.Flags().Changed("seed")); err != nil {
		return err
	}
	if err := storage.CheckWritable(f.save); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	if f.training == byPlain {
		f.master = "local[1]"
	}
	if t.engine, err = f.engineFlags.open(ctx, t.out); err != nil {
		return err
	}
	defer t.engine.Close()
	executor := cpu.New(cpu.Options{Threads: t.engine.Threads(), Variant: t.variant})
	defer executor.Close()
	t.net.SetExecutor(executor)
	if err := t.prepare(ctx); err != nil {
		return err
	}
	defer t.trainer.close()
	if f.dryRun {
		return t.foresee()
	}
	if err := t.announce(); err != nil {
		return err
	}
	return t.do(ctx)
}

// open opens network and data, and checks that they fit each other.
func (t *training) open(ctx context.Context, seeded bool) error {
	spec, test := t.dataSpec, t.testSpec
	if test == "" && (spec == "digits" || spec == "digits:train") {
		spec, test = "digits:train", "digits:test"
	}
	var err error
	if t.train, err = openData("data", spec); err != nil {
		return err
	}
	if test != "" && test != "none" {
		if t.test, err = openData("test", test); err != nil {
			return err
		}
	}
	info := t.train.Info()
	if len(info.Labels) == 0 {
		return fmt.Errorf("--data: %s has no labels to train by", info.Name)
	}
	if t.model == "" {
		t.model = "mlp"
		if k := inputOf(info).Kind; k == inputtype.ConvolutionalKind || k == inputtype.ConvolutionalFlatKind {
			t.model = "lenet"
		}
	}
	var seed *int64
	if seeded {
		seed = &t.seed
	}
	if t.net, err = openNetwork(t.model, info, seed); err != nil {
		return err
	}
	t.seed = t.net.seed
	if err := t.normalizer(info); err != nil {
		return err
	}
	if err := examine(ctx, "data", t.train, t.net, t.net.normalizer, true); err != nil {
		return err
	}
	if t.test == nil {
		return nil
	}
	return examine(ctx, "test", t.test, t.net, t.net.normalizer, true)
}

// normalizer settles how features are normalized.
func (t *training) normalizer(info source.Info) error {
	switch {
	case t.normalize != "" && t.net.normalizer != nil:
		return usagef("--normalize: %s has a normalizer already; --no-normalizer leaves it aside", t.model)
	case t.noNormalizer:
		t.net.normalizer = nil
		t.net.SetNormalizer(nil)
	case t.normalize != "":
		var fitter normalizer.Fitter
		switch one := len(info.Features) == 1; {
		case t.normalize == "standardize" && one:
			fitter = normalizer.NewStandardize(false)
		case t.normalize == "standardize":
			fitter = normalizer.NewMultiStandardize(false)
		case one:
			fitter = normalizer.NewMinMax(0, 1, false)
		default:
			fitter = normalizer.NewMultiMinMax(0, 1, false)
		}
		batch := 0
		if _, ok := t.train.(source.Table); ok {
			batch = 256
		}
		if err := fitter.Fit(source.Batches(t.train, batch)); err != nil {
			return fmt.Errorf("--normalize: %w", err)
		}
		var b bytes.Buffer
		if err := normalizer.Write(&b, fitter); err != nil {
			return err
		}
		t.net.normalizer = fitter
		t.net.SetNormalizer(b.Bytes())
		t.normalizes = "--normalize " + t.normalize + ", fitted on the training data and saved in the model"
	case t.net.normalizer != nil:
		t.normalizes = "the model's normalizer (--no-normalizer leaves it aside)"
	}
	return nil
}

// prepare makes the trainer.
func (t *training) prepare(ctx context.Context) error {
	info := t.train.Info()
	_, table := t.train.(source.Table)
	if t.batch == 0 && (table || t.training == byAveraging) {
		t.batch = defaultBatch
		if info.Examples < fewExamples {
			t.batch = batchOfFew
		}
	}
	if t.epochs == 0 {
		t.epochs = defaultEpochs
		if info.Examples < fewExamples {
			t.epochs = epochsOfFew
		}
	}
	var err error
	if t.test != nil {
		if t.heldOut, err = distribute(t.engine, t.test, t.net.normalizer); err != nil {
			return err
		}
	}
	if t.training == byPlain {
		t.trainer = &plain{t.net, t.train, t.batch, uint64(t.seed)}
		return nil
	}
	c := &t.conf
	c.BatchSizePerWorker, c.RNGSeed = t.batch, uint64(t.seed)
	master, err := paramavg.New(*c, paramavg.Options{Kernels: t.variant.String()})
	if err != nil {
		return &usageError{err}
	}
	all, err := distribute(t.engine, t.train, t.net.normalizer)
	if err != nil {
		return err
	}
	counts, err := all.Counts(ctx)
	if err != nil {
		return err
	}
	t.rounds, err = paramavg.ByIndex{}.Split(master.Layout(t.engine, counts, paramavg.Pass(t.net.Epoch(), 0)))
	if err != nil {
		return err
	}
	t.trainer = &averaging{t.net.MultiLayer, master, all}
	return nil
}

// do trains, and saves the model.
func (t *training) do(ctx context.Context) error {
	examples := int64(t.train.Info().Examples)
	passes := t.epochs
	if t.iterations > 0 {
		passes = 1
		examples = t.examplesOf(t.iterations)
	}
	t.out.start("", examples*int64(passes))
	defer t.out.stop()
	var last figures
	all := 0
	for e := range passes {
		label := fmt.Sprintf("epoch %d/%d", e+1, passes)
		if t.iterations > 0 {
			label = fmt.Sprintf("%d iterations", t.iterations)
		}
		t.out.bar.Label(label)
		got, err := t.pass(ctx, e)
		if err == nil {
			err = t.net.CheckParams()
		}
		if err != nil {
			return t.failed(ctx, err, got.examples > 0, e)
		}
		if t.heldOut != nil {
			if err := t.evaluate(ctx, &got); err != nil {
				return t.failed(ctx, err, true, e+1)
			}
		}
		t.savedAt = fmt.Sprintf("after epoch %d of %d", e+1, passes)
		if err := t.net.Save(t.save, nn.SaveOptions{WithoutUpdater: t.withoutUpdater}); err != nil {
			return err
		}
		if err := t.tell(label, e, got); err != nil {
			return err
		}
		all += got.examples
		last = got
	}
	t.out.stop()
	return t.finish(last, all)
}

// examplesOf foresees how many examples so many iterations have.
func (t *training) examplesOf(iterations int) int64 {
	if t.training == byPlain && t.batch == 0 {
		return int64(iterations) * int64(t.train.Info().Examples) / int64(t.train.Objects())
	}
	workers := 1
	if len(t.rounds) > 0 {
		workers = len(t.rounds[0])
	}
	return int64(iterations) * int64(t.batch) * int64(workers)
}

// figures are what an epoch came to.
type figures struct {
	examples int
	score    float64
	seconds  float64 // of training
	accuracy *float64
	heldOut  *float64 // the held-out score, where there are no classes
}

// pass trains one epoch, or all iterations. Where it fails, the examples are those of the complete steps.
func (t *training) pass(ctx context.Context, epoch int) (figures, error) {
	var got figures
	sum := 0.0
	start := time.Now()
	var shown time.Time
	var failed error
	done := func(s step) {
		got.examples += s.examples
		sum += s.score * float64(s.examples)
		t.out.bar.Add(int64(s.examples), fmt.Sprintf("score %.4g", s.score))
		if now := time.Now(); failed == nil && now.Sub(shown) >= progressEvery {
			shown = now
			failed = t.out.emit("progress", event{"epoch": epoch + 1, "iteration": t.net.Iteration(), "score": s.score,
				"examples": t.out.bar.Done(), "examplesPerSecond": t.out.bar.Rate(), "eta": t.out.bar.Left().Seconds()})
		}
	}
	var err error
	if t.iterations > 0 {
		err = t.trainer.iterations(ctx, t.iterations, done)
		got.score = t.net.LastScore()
	} else {
		err = t.trainer.epoch(ctx, done)
		got.score = sum / float64(max(1, got.examples))
	}
	got.seconds = time.Since(start).Seconds()
	return got, errors.Join(err, failed)
}

// progressEvery is the least time between two progress events.
const progressEvery = 200 * time.Millisecond

// evaluate finds the held-out figures.
func (t *training) evaluate(ctx context.Context, got *figures) error {
	wrapper := distributed.New(t.engine, t.net.MultiLayer, nil, distributed.Options{Kernels: t.variant.String()})
	info := t.test.Info()
	if info.Classes == 0 {
		score, _, err := wrapper.Score(ctx, t.heldOut, true, false, 0)
		got.heldOut = &score
		return err
	}
	e, err := wrapper.Evaluate(ctx, t.heldOut, nil, 1)
	if err != nil {
		return err
	}
	accuracy := e.Accuracy()
	got.accuracy = &accuracy
	return nil
}

// failed says what became of the model.
func (t *training) failed(ctx context.Context, err error, trained bool, epochs int) error {
	t.out.stop()
	if ctx.Err() == nil {
		if t.savedAt != "" {
			return fmt.Errorf("%w; %s holds the network as %s", err, t.save, t.savedAt)
		}
		return fmt.Errorf("%w; no model was saved", err)
	}
	place := fmt.Sprintf("after %s and iteration %d", plural(epochs, "complete epoch"), t.net.Iteration())
	if trained {
		if err := t.net.Save(t.save, nn.SaveOptions{WithoutUpdater: t.withoutUpdater}); err != nil {
			return fmt.Errorf("interrupted, and %w", err)
		}
		if err := t.out.emit("interrupted", event{"model": t.save, "iteration": t.net.Iteration(), "epoch": t.net.Epoch()}); err != nil {
			return err
		}
		return fmt.Errorf("interrupted: %s holds the network as %s", t.save, place)
	}
	if t.savedAt != "" {
		return fmt.Errorf("interrupted: %s holds the network as %s", t.save, t.savedAt)
	}
	return errors.New("interrupted before the first step: no model was saved")
}
