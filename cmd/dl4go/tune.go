package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/flagvalues"
	"github.com/dl4go/dl4go/internal/material"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/tune"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
)

// tuneFlags are the flags of dl4go tune: those of training, without the settings that it searches.
type tuneFlags struct {
	trainFlags
	space                               map[string]*string
	spaceFile, search, metric, dir, old string
	trials, keep                        int
}

// tuneOnly are flags that dl4go train does not have, or that mean something else there.
var tuneOnly = []string{"space", "search", "metric", "output", "resume", "trials", "keep", "epochs", "save", "json",
	"master", "help"}

func tuneCommand() *cobra.Command {
	f := &tuneFlags{space: map[string]*string{}}
	f.training, f.Deadline = byPlain, tune.Deadline
	cmd := &cobra.Command{
		Use:   "tune --data SOURCE",
		Short: "Search the settings of a network",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.StringVar(&f.Model, "model", "", "`NAME` built-in, or a file (default: by the data)")
	fs.StringVar(&f.Data, "data", "digits:train", "`SOURCE` training data")
	fs.StringVar(&f.Test, "test", "", "`SOURCE` held-out data, if --split holds none out")
	fs.StringVar(&f.search, "search", tune.Halving, "`HOW` halving or random")
	fs.IntVar(&f.trials, "trials", tune.DefaultTrials, "`N` settings to try")
	fs.IntVar(&f.epochs, "epochs", 0, "`N` passes of a trial, at most (default 9, or 27)")
	fs.IntVar(&f.keep, "keep", tune.DefaultKeep, "`N` halving: one trial in N goes on")
	fs.StringVar(&f.metric, "metric", "", "`NAME` loss, accuracy, r2 or mae (default: by the data)")
	fs.Int64Var(&f.Seed, "seed", modelfile.DefaultSeed, "`N` random seed (default 1)")
	fs.StringVar(&f.dir, "output", "tuning", "`DIR` for the trials and the best model")
	fs.StringVar(&f.save, "save", "", "`FILE` model zip to write (default: best.zip in DIR)")
	fs.StringVar(&f.old, "resume", "", "`DIR` continue the search that is here")
	fs.StringVar(&f.spaceFile, "space", "", "`FILE` YAML with values to search")
	for _, name := range tune.Names() {
		text := "not searched"
		if usual := tune.Usual(name); usual != "" {
			text = usual
		}
		f.space[name] = fs.String(name, "", "`VALUES` (default: "+text+")")
	}
	fs.StringVar(&f.shape.task, "task", "", "`TASK` classification, regression or multilabel")
	fs.StringVar(&f.Normalize, "normalize", "", "`HOW` fit a normalizer: standardize or minmax")
	f.prepared.add(fs, &f.Columns)
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.engineFlags.add(fs, "local[*]")
	f.addDevice(fs)
	f.addSharing(fs)
	f.settings.add(fs)
	return cmd
}

func (f *tuneFlags) run(cmd *cobra.Command) (err error) {
	out, ctx, given := newOutput(cmd, f.json), cmd.Context(), cmd.Flags().Changed
	var dir *tune.Directory
	if f.old != "" {
		if given("output") {
			return usagef("--resume and --output can't be given together: the search stays in its directory")
		}
		var kept tune.Kept
		if dir, kept, err = tune.Open(ctx, f.old); err != nil {
			return fmt.Errorf("--resume: %w", err)
		}
		defer func() { dir.Close(context.WithoutCancel(ctx)) }()
		err := flagvalues.Restore(f.old, flagvalues.Kept{Values: kept}, cmd.Flags(), searched(cmd.Flags()))
		if err != nil {
			return err
		}
		f.dir = f.old
	}
	m := newTraining(&f.trainFlags, out).material
	defer m.Place.Close()
	c, err := f.config(cmd, out, &m)
	if err != nil {
		return err
	}
	if f.save == "" {
		f.save = storage.Join(f.dir, "best.zip")
	}
	if dir == nil {
		if dir, err = tune.Create(ctx, f.dir, keptFlags(cmd.Flags())); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		defer func() { dir.Close(context.WithoutCancel(ctx)) }()
	}
	if err := storage.CheckWritable(ctx, f.save); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	c.Dir = dir
	if c.Engine, err = m.Place.Open(ctx); err != nil {
		return err
	}
	return f.tune(cmd, out, c)
}

// config opens the data, and makes a search according to the flags.
func (f *tuneFlags) config(cmd *cobra.Command, out *console.Output, m *material.Material) (c tune.Config, err error) {
	ctx, given := cmd.Context(), cmd.Flags().Changed
	if err := f.check(cmd); err != nil {
		return c, err
	}
	c = tune.Config{Search: f.search, Trials: f.trials, Epochs: f.epochs, Keep: f.keep, Metric: f.metric, Seed: f.Seed}
	values := map[string]string{}
	for name, value := range f.space {
		if given(name) {
			values[name] = *value
		}
	}
	if c.Space, err = tune.ReadSpace(ctx, f.spaceFile, values); err != nil {
		return c, explainSpace(err)
	}
	if c.Kernels, err = f.Processor(true, out.Warn); err != nil {
		return c, err
	}
	here := f.Engine // the data is opened here, as for plain training, and sent to the workers
	if !workplace.Queried(f.Data) && !workplace.Queried(f.Test) {
		here.Master = "local[1]"
	}
	m.Place.Engine = &here
	f.settings.Count = true
	if err := m.Open(ctx, true); err != nil {
		return c, inFlags(err)
	}
	if m.Network.Trained {
		return c, usagef("--model %s: it is trained; dl4go tune trains built-in networks (%s) and configurations in files "+
			"from the beginning", f.Model, strings.Join(nn.BuiltIns(), ", "))
	}
	if m.HeldOut == nil {
		return c, usagef("dl4go tune needs held-out data to score on: --split 0.8, or --test SOURCE")
	}
	if err := m.Examine(ctx); err != nil {
		return c, err
	}
	c.Data, c.HeldOut, c.Normalizer = m.Train, m.HeldOut, m.Network.Network.Normalizer()
	if err := c.Complete(); err != nil {
		return c, err
	}
	c.Network = func(w modelfile.Wish) (*nn.Network, error) {
		w.Task, w.Numbers = f.Wish.Task, f.Wish.Numbers
		return modelfile.Like(ctx, m.Network, m.Model, m.Train.Info(), w)
	}
	m.Place.Engine = &f.Engine
	return c, explainSpace(workplace.ShapeMistake(c.Check()))
}

// check refuses invalid flags.
func (f *tuneFlags) check(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if f.search, err = usage.Choose("search", f.search, tune.Halving, tune.Random); err != nil {
		return err
	}
	if given("metric") {
		if f.metric, err = usage.Choose("metric", f.metric, tune.Metrics...); err != nil {
			return err
		}
	}
	if err := arguments.Positive(cmd, "trials", "epochs", "threads"); err != nil {
		return err
	}
	if given("keep") && (f.search != tune.Halving || f.keep < 2) {
		return usagef("--keep %d: it must be 2 or more", f.keep)
	}
	if f.Normalize != "" {
		if f.Normalize, err = usage.Choose("normalize", f.Normalize, "standardize", "minmax"); err != nil {
			return err
		}
	}
	if err := f.settings.Check(f.Data, f.Test); err != nil {
		return err
	}
	if f.Wish, err = f.shape.wish(func(name string) bool {
		return (name == "task" || name == "regression") && given(name)
	}); err != nil {
		return err
	}
	if f.save != "" {
		err = ours("--save", f.save)
	}
	return cmp.Or(err, f.prepared.check(given, f.Test))
}

func explainSpace(err error) error {
	if wrong := (*tune.SpaceError)(nil); errors.As(err, &wrong) {
		if wrong.Setting == "" {
			return &usageError{Err: err}
		}
		return usagef("--%w", err)
	}
	return err
}

// tune searches, and shows the result.
func (f *tuneFlags) tune(cmd *cobra.Command, out *console.Output, c tune.Config) error {
	r, err := tune.Show(cmd.Context(), out, c, f.Model, f.dir)
	if cmd.Context().Err() != nil {
		return interruptedf("the trials that are complete are in %s; dl4go tune --resume %s goes on", f.dir, f.dir)
	}
	if err != nil {
		return err
	}
	defer r.Network.Close()
	if err := r.Network.Save(cmd.Context(), f.save, nn.SaveOptions{}); err != nil {
		return fmt.Errorf("--save: %w", err)
	}
	return r.Show(out, c, tune.Saved{Model: f.save, Command: f.command(cmd.Flags(), r.Best, c.Metric),
		Plain: !workplace.Queried(f.Data)}) // plain training has no cluster
}

// searched returns the flags that must not change when a search is resumed.
func searched(fs *pflag.FlagSet) (names []string) {
	fs.VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(momentary, f.Name) && !slices.Contains(elsewhereToo, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// elsewhereToo are flags that may change when a search is resumed.
var elsewhereToo = append([]string{"master", "threads", "save", "output"}, workplace.ClusterFlags...)

// keptFlags returns the flags that a search stores.
func keptFlags(fs *pflag.FlagSet) tune.Kept {
	kept := tune.Kept{}
	for _, name := range searched(fs) {
		if f := fs.Lookup(name); f.Changed {
			kept[name] = flagvalues.Of(f)
		}
	}
	return kept
}

// command returns the command line that trains the best network.
func (f *tuneFlags) command(fs *pflag.FlagSet, best *tune.Trial, metric string) string {
	args := []string{"dl4go", "train", "--training", "plain", "--model", f.Model}
	if !fs.Changed("data") {
		args = append(args, "--data", f.Data)
	}
	skip := slices.Concat(tuneOnly, tune.Names(), workplace.ClusterFlags, []string{"model", "threads"})
	args = append(args, flagvalues.Arguments(fs, skip, prepare.EveryColumn)...)
	for _, s := range best.Settings {
		args = append(args, "--"+s.Name, s.Value)
	}
	return tune.Quote(append(args, "--epochs", fmt.Sprint(best.Best(metric, len(best.Epochs))+1), "--save", "best.zip"))
}
