package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"

	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/storage"
)

// writable checks that what the run writes can be written, before the work is done.
func (t *training) writable(given func(flag string) bool) error {
	if err := storage.CheckWritable(t.save); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	if err := t.spare(given); err != nil {
		return err
	}
	if t.early.on() {
		if err := storage.CheckWritable(t.early.latest); err != nil {
			return fmt.Errorf("--early-stopping: latest: %w", err)
		}
	}
	if err := t.stats.writable(); err != nil {
		return err
	}
	if t.from != nil {
		if err := t.stats.goesOn(t.from.Began); err != nil {
			return err
		}
	}
	dir := t.conf.ExportDirectory
	if dir == "" || t.dryRun || t.work.cluster() {
		return nil // a cluster's storage is Spark's to write
	}
	err := storage.MkdirAll(dir)
	if err == nil {
		err = storage.CheckWritable(storage.Join(dir, "dl4go"))
	}
	if err != nil {
		return fmt.Errorf("--export-directory: %w", err)
	}
	return nil
}

// open opens network and data, and checks that they fit each other.
func (t *training) open(ctx context.Context, seeded bool) error {
	spec, test := t.dataSpec, t.testSpec
	if test == "" && (spec == "digits" || spec == "digits:train") {
		spec, test = "digits:train", "digits:test"
	}
	var seed *int64
	if seeded {
		seed = &t.seed
	}
	if err := t.openModel(seed); err != nil {
		return err
	}
	var err error
	if t.train, err = openData(ctx, &t.work, "data", spec, t.known()); err != nil {
		return err
	}
	schema := t.schemaOf(t.train.Info())
	if test != "" && test != "none" {
		as := schema
		if t.byPosition {
			as = nil
		}
		if t.test, err = openData(ctx, &t.work, "test", test, as); err != nil {
			return err
		}
	}
	for _, early := range []*earlyFlags{&t.early, &t.preStop} {
		if err := early.fits(t.test); err != nil {
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
	if t.net == nil {
		if t.net, err = openNetwork(t.out, t.model, info, seed); err != nil {
			return err
		}
	}
	if !t.byPosition && t.net.trained && t.from == nil {
		t.out.positions(t.net.Schema(), info)
	}
	if err := t.net.SetSchema(schema); err != nil {
		t.out.warn("the model is saved without names of columns and classes: %v", err)
	}
	t.seed = t.net.seed
	if err := t.early.fitsNetwork(t.net); err != nil {
		return err
	}
	if t.pretrain > 0 {
		names := t.net.Autoencoders()
		if len(names) == 0 {
			return usagef("--pretrain: the network has no autoencoder")
		}
		if err := t.preStop.fitsLayers(t.net, names); err != nil {
			return err
		}
	}
	if err := t.begins(); err != nil {
		return err
	}
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
	case t.from != nil && t.net.normalizer != nil:
		t.normalizes = "as the run began"
	case t.from != nil:
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
		switch t.train.(type) {
		case source.Table, *queryData:
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
	if t.batch == 0 && (table || t.training != byPlain) {
		t.batch = defaultBatch
		if info.Examples < fewExamples {
			t.batch = batchOfFew
		}
	}
	if t.epochs == 0 && t.early.on() {
		t.epochs = epochsAtMost
	}
	if t.epochs == 0 {
		t.epochs = defaultEpochs
		if info.Examples < fewExamples {
			t.epochs = epochsOfFew
		}
	}
	var err error
	if t.test != nil {
		if t.heldOut, err = distribute(ctx, t.engine, t.test, t.net.normalizer, 0); err != nil {
			return err
		}
	}
	if err := t.fitsBatch(); err != nil {
		return err
	}
	if t.training == byPlain {
		t.trainer = &plain{net: t.net, source: t.train, batch: t.batch, seed: uint64(t.seed), log: slog.New(warnings{output: t.out}), keep: t.kept()}
		return nil
	}
	if t.training == bySharing {
		return t.prepareSharing(ctx)
	}
	c := &t.conf
	c.BatchSizePerWorker, c.RNGSeed = t.batch, uint64(t.seed)
	partitions := c.NumWorkers
	if t.atOnce = partitions; partitions == 0 {
		t.atOnce = t.engine.Slots()
	}
	if c.Repartition == paramavg.Never {
		c.NumWorkers = 0 // each partition has a worker
	}
	master, err := paramavg.New(*c, paramavg.Options{Kernels: t.kernels.String(), Rounds: paramavg.Way(t.residents.rounds), Network: t.residents.network,
		Checkpoints: t.kept(), Time: t.stats.time, Log: slog.New(warnings{output: t.out})})
	if err != nil {
		return &usageError{err}
	}
	all, err := distribute(ctx, t.engine, t.train, t.net.normalizer, partitions)
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
	t.trainer = &averaging{t.net.Network, master, all}
	return nil
}

// fitsBatch fails if the machine has no memory for the minibatches of a table that exist at a time: one is trained
// on while others are put together.
func (t *training) fitsBatch() error {
	info := t.train.Info()
	if _, table := t.train.(source.Table); !table || t.batch == 0 {
		return nil
	}
	bytes, _ := sizeOf(t.train)
	row := bytes / int64(max(1, info.Examples))
	if err := checkup.Fits(3 * row * int64(min(t.batch, info.Examples))); err != nil {
		return fmt.Errorf("--batch: minibatches of %d examples of %s: %w", min(t.batch, info.Examples), info.Name, err)
	}
	return nil
}
