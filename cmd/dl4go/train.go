package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/material"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/train"
)

// training holds the flags of dl4go train, and what they name.
type training struct {
	*trainFlags
	out      *console.Output
	log      *trainlog.Log
	material material.Material
	kernels  string         // or a device
	limit    int64          // of memory; 0: none
	heard    train.Listener // beside the log; nil: none
	// movedFrom is the data of the resumed run if --data names it at another place.
	movedFrom string
}

// newTraining returns the run of the flags, in which nothing is open yet.
func newTraining(f *trainFlags, out *console.Output) *training {
	return &training{trainFlags: f, out: out, log: &trainlog.Log{Output: out}, material: material.Material{
		Settings: &f.Settings, Place: newPlace(&f.engineFlags, &f.settings, out), Out: out}}
}

func (f *trainFlags) run(cmd *cobra.Command) error {
	out := newOutput(cmd, f.json)
	t := newTraining(f, out)
	given := cmd.Flags().Changed
	if err := f.checkpoints.check(given); err != nil {
		return err
	}
	if f.checkpoints.resume != "" {
		if err := t.readCheckpoint(cmd); err != nil {
			return err
		}
		defer t.material.From.Close()
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	f.sharing.given = given
	var err error
	if t.kernels, err = f.Processor(f.training != byPlain, out.Warn); err != nil {
		return err
	}
	if f.training == byPlain {
		f.Master = "local[1]"
	}
	f.settings.Count, f.settings.Partitions = true, f.conf.NumWorkers
	if f.conf.RDDTrainingApproach == paramavg.Direct {
		f.settings.Level = f.conf.StorageLevel
	}
	defer t.material.Place.Close()
	if f.folds != "" {
		return t.crossValidate(cmd)
	}
	m, err := t.material.Place.Bound(f.memory, given("memory"))
	if err != nil {
		return err
	}
	f.settings.Room, f.Columns.Settings.Memory, t.limit = m.Room, m.Counts, m.Limit
	if !t.dryRun && t.diagnosis.rates == "" {
		files := train.Config{Save: t.save, StatsFile: t.stats.file, Stopping: t.early.stopping}
		if err := files.CheckWritable(cmd.Context()); err != nil {
			return inFlags(err)
		}
	}
	if err := t.material.Open(cmd.Context(), given("seed")); err != nil {
		if t.material.From != nil && errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; if the data has moved, name its place with --data", err)
		}
		return err
	}
	if err := t.checkMoved(); err != nil {
		return err
	}
	if t.diagnosis.rates != "" {
		return inFlags(findRate(cmd, t))
	}
	return inFlags(t.fit(cmd))
}

// fit trains, and shows the result.
func (t *training) fit(cmd *cobra.Command) error {
	run, executor, err := t.begin(cmd)
	if err != nil {
		return err
	}
	defer executor.Close()
	defer run.Close()
	net := t.material.Network
	t.log.Run, t.log.Model, t.log.Title, t.log.Trained = run, t.Model, net.Title, net.Trained
	t.log.Resumed, t.log.Stopping, t.log.PretrainingStopping = t.checkpoints.resume, t.early.settings, t.preStop.settings
	t.log.PhaseTable = t.Given("stats")
	t.log.Profile, t.log.Normalizer = t.diagnosis.profile, t.material.Normalizer
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
		page, err := livepage.Show(t.out, "ui", t.ui.Options, livepage.Live{Run: run.Remote()})
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
		Network: t.material.Network.Network, Data: t.material.Train, HeldOut: t.material.HeldOut,
		Metrics: t.metrics,
		Batch:   t.batch, Epochs: t.epochs, Iterations: t.iterations, Seed: t.Seed, Kernels: t.kernels,
		Save: t.save, Overwrite: t.force || t.dryRun, OtherLayers: cmd.Flags().Changed("save"),
		WithoutUpdater: t.withoutUpdater,
		Stopping:       t.early.stopping, From: t.material.From, StatsFile: t.stats.file,
		Measure: t.ui.Address != "", Memory: t.limit,
		Listen: t.hear, Log: t.out.Log(),
	}
	t.diagnosis.config(&c)
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
	w, info := &c.ClassWeights, t.material.Train.Info()
	if w.Balanced, w.Weights, err = prepare.ClassWeights(cmd.Context(), t.classWeights, info); err != nil {
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
		AutoFrequency: t.frequency.Auto}
	return train.Averaging{Config: &t.conf, Options: o}, nil
}
