package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/program/cpu"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/train"
)

// training holds the flags of dl4go train, and what they name.
type training struct {
	*trainFlags
	out     *console.Output
	log     *trainlog.Log
	net     *modelfile.Opened
	train   source.Source
	test    source.Source // nil if there is no held-out data
	kernels string        // or a device
	work    workplace
	limit   int64          // of memory; 0: none
	from    *train.Resumed // nil: from the beginning
	heard   train.Listener // beside the log; nil: none
}

func (f *trainFlags) run(cmd *cobra.Command) error {
	out := newOutput(cmd, f.json)
	t := &training{trainFlags: f, out: out, log: &trainlog.Log{Output: out}}
	given := cmd.Flags().Changed
	if err := f.checkpoints.check(given); err != nil {
		return err
	}
	if f.checkpoints.resume != "" {
		if err := t.readCheckpoint(cmd); err != nil {
			return err
		}
		defer t.from.Close()
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	f.sharing.given = given
	var err error
	if t.kernels, err = f.processor(f.training != byPlain); err != nil {
		return err
	}
	if f.training == byPlain {
		f.master = "local[1]"
	}
	t.work = workplace{flags: &f.engineFlags, settings: &f.settings, out: t.out}
	f.settings.Count, f.settings.Partitions = true, f.conf.NumWorkers
	if f.conf.RDDTrainingApproach == paramavg.Direct {
		f.settings.Level = f.conf.StorageLevel
	}
	defer t.work.close()
	if f.folds != "" {
		return t.crossValidate(cmd)
	}
	if err := bound(t, given("memory")); err != nil {
		return err
	}
	if err := t.open(cmd.Context(), given("seed")); err != nil {
		return err
	}
	if t.helps.rates != "" {
		return inFlags(findRate(cmd, t))
	}
	return inFlags(t.fit(cmd))
}

// executor makes the executor of the run's own network: on the device only if no workers train.
func (t *training) executor(threads int) (serve.Executor, error) {
	kernels := t.kernels
	if xla.IsDevice(kernels) && t.training != byPlain {
		kernels = cpu.Kernels{}.String()
	}
	return distributed.NewExecutor(kernels, threads, t.out.Log())
}

// fit trains, and shows the result.
func (t *training) fit(cmd *cobra.Command) error {
	run, executor, err := t.begin(cmd)
	if err != nil {
		return err
	}
	defer executor.Close()
	defer run.Close()
	t.log.Run, t.log.Model, t.log.Title, t.log.Trained = run, t.model, t.net.Title, t.net.Trained
	t.log.Resumed, t.log.Stopping, t.log.PretrainingStopping = t.checkpoints.resume, t.early.settings, t.preStop.settings
	t.log.Profile = t.helps.profile
	if t.dryRun {
		return t.log.Forecast()
	}
	t.log.Announce()
	if e, heard, err := t.stats.serve(t.out); err != nil {
		return err
	} else if e != nil {
		defer e.Close()
		t.heard = heard
	}
	if t.ui.Address != "" {
		page, err := t.ui.open(t.out, "ui", livepage.Live{Run: run.Remote()})
		if err != nil {
			return err
		}
		defer page.Close()
	}
	result, err := run.Train(cmd.Context())
	t.out.Stop()
	if result != nil {
		return t.log.Finish(cmd.Context(), result, err)
	}
	return t.failed(err)
}

// hear passes on an event of the run.
func (t *training) hear(e train.Event) {
	if t.heard != nil {
		t.heard.Hear(e)
	}
	t.log.Listen(e)
}

// config returns the run according to the flags.
func (t *training) config(cmd *cobra.Command) (train.Config, error) {
	c := train.Config{
		Network: t.net.Network, Data: t.train, HeldOut: t.test, Metrics: t.metrics,
		Batch: t.batch, Epochs: t.epochs, Iterations: t.iterations, Seed: t.seed, Kernels: t.kernels,
		Save: t.save, Overwrite: t.force || t.dryRun || cmd.Flags().Changed("save"), WithoutUpdater: t.withoutUpdater,
		Stopping: t.early.stopping, From: t.from, StatsFile: t.stats.file,
		Measure: t.ui.Address != "", Memory: t.limit,
		Listen: t.hear, Log: t.out.Log(),
	}
	t.helps.config(&c)
	if t.pretrain > 0 || t.preStop.stopping != nil {
		c.Pretraining = &train.Pretraining{Epochs: t.pretrain, Stopping: t.preStop.stopping}
	}
	if !t.dryRun {
		c.Checkpoint = train.Checkpoint{Dir: t.checkpoints.dir, Every: t.checkpoints.every,
			Claim: t.checkpoints.claim(cmd), Notes: t.notes(cmd.Flags())}
	}
	var err error
	if c.Trackers, err = t.stats.trackers(t.save); err != nil {
		return c, err
	}
	if c.Augment, err = data.ParseAugmentation(t.augment); err != nil {
		return c, usagef("--augment %s: %w", t.augment, err)
	}
	w := &c.ClassWeights
	if w.Balanced, w.Weights, err = prepare.ClassWeights(cmd.Context(), t.classWeights, t.train.Info()); err != nil {
		return c, fmt.Errorf("--class-weights: %w", err)
	}
	c.Method, err = t.method(cmd.Context())
	return c, err
}

// method returns the way of training according to the flags. A dry run creates no directories.
func (t *training) method(ctx context.Context) (train.Method, error) {
	if t.dryRun {
		t.conf.ExportDirectory = ""
	}
	switch t.training {
	case byPlain:
		return train.Plain{}, nil
	case bySharing:
		return t.bySharing(ctx)
	}
	o := paramavg.Options{Rounds: paramavg.Way(t.residents.rounds), Network: t.residents.network, Time: t.stats.time,
		AutoFrequency: t.frequency.auto}
	return train.Averaging{Config: &t.conf, Options: o}, nil
}
