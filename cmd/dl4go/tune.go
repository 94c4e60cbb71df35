package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/internal/tune"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
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
	f.training, f.withLong = byPlain, true
	cmd := &cobra.Command{
		Use:   "tune --data SOURCE",
		Short: "Search the settings of a network",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.model, "model", "", "`NAME` built-in, or a file (default: by the data)")
	fs.StringVar(&f.dataSpec, "data", "digits:train", "`SOURCE` training data")
	fs.StringVar(&f.testSpec, "test", "", "`SOURCE` held-out data, if --split holds none out")
	fs.StringVar(&f.search, "search", tune.Halving, "`HOW` halving or random")
	fs.IntVar(&f.trials, "trials", tune.DefaultTrials, "`N` settings to try")
	fs.IntVar(&f.epochs, "epochs", 0, "`N` passes of a trial, at most (default 9, or 27)")
	fs.IntVar(&f.keep, "keep", tune.DefaultKeep, "`N` halving: one trial in N goes on")
	fs.StringVar(&f.metric, "metric", "", "`NAME` loss, accuracy, r2 or mae (default: by the data)")
	fs.Int64Var(&f.seed, "seed", modelfile.DefaultSeed, "`N` random seed (default 1)")
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
	fs.StringVar(&f.normalize, "normalize", "", "`HOW` fit a normalizer: standardize or minmax")
	f.prepared.add(fs)
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
		if err := restoreFlags(f.old, train.Notes{Values: kept}, 0, cmd.Flags(), searched(cmd.Flags())); err != nil {
			return err
		}
		f.dir = f.old
	}
	c, t, err := f.config(cmd, out)
	if t != nil {
		defer t.work.close()
	}
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
	if c.Engine, err = t.work.open(ctx); err != nil {
		return err
	}
	return f.tune(cmd, out, t, c)
}

// config opens the data, and makes a search according to the flags.
func (f *tuneFlags) config(cmd *cobra.Command, out *console.Output) (c tune.Config, t *training, err error) {
	ctx, given := cmd.Context(), cmd.Flags().Changed
	if err := f.check(cmd); err != nil {
		return c, nil, err
	}
	c = tune.Config{Search: f.search, Trials: f.trials, Epochs: f.epochs, Keep: f.keep, Metric: f.metric, Seed: f.seed}
	if c.Space, err = f.searchSpace(ctx, given); err != nil {
		return c, nil, err
	}
	if c.Kernels, err = f.processor(true); err != nil {
		return c, nil, err
	}
	t = &training{trainFlags: &f.trainFlags, out: out, log: &trainlog.Log{Output: out}, kernels: c.Kernels}
	here := f.engineFlags // the data is opened here, as for plain training, and sent to the workers
	if !queried(f.dataSpec) && !queried(f.testSpec) {
		here.master = "local[1]"
	}
	t.work = workplace{flags: &here, settings: &f.settings, out: out}
	f.settings.Count = true
	if err := t.open(ctx, true); err != nil {
		return c, t, inFlags(err)
	}
	if t.net.Trained {
		return c, t,
			usagef("--model %s: it is trained; dl4go tune trains built-in networks (%s) and configurations in files "+
				"from the beginning", f.model, strings.Join(nn.BuiltIns(), ", "))
	}
	if t.test == nil {
		return c, t, usagef("dl4go tune needs held-out data to score on: --split 0.8, or --test SOURCE")
	}
	if err := t.examine(ctx); err != nil {
		return c, t, err
	}
	c.Data, c.HeldOut, c.Normalizer = t.train, t.test, t.net.Network.Normalizer()
	info := t.train.Info()
	if c.Metric == "" {
		c.Metric = tune.UsualMetric(info)
	} else if !tune.HasMetric(info, c.Metric) {
		return c, t, usagef("--metric %s: this data has none; leave it out, or use loss", c.Metric)
	}
	if c.Epochs == 0 {
		if c.Epochs = tune.DefaultEpochs; info.Examples < train.SmallData {
			c.Epochs = tune.DefaultEpochsSmall
		}
	}
	c.Network = func(w modelfile.Wish) (*nn.Network, error) {
		w.Task, w.Numbers = f.wish.Task, f.wish.Numbers
		return modelfile.Like(ctx, t.net, t.model, info, w)
	}
	t.work.flags = &f.engineFlags
	return c, t, f.explainSpace(shapeMistake(c.Check()))
}

// check refuses invalid flags.
func (f *tuneFlags) check(cmd *cobra.Command) (err error) {
	given := cmd.Flags().Changed
	if f.search, err = choose("search", f.search, tune.Halving, tune.Random); err != nil {
		return err
	}
	if given("metric") {
		if f.metric, err = choose("metric", f.metric, tune.Metrics...); err != nil {
			return err
		}
	}
	if err := positive(cmd, "trials", "epochs", "threads"); err != nil {
		return err
	}
	if given("keep") && (f.search != tune.Halving || f.keep < 2) {
		return usagef("--keep %d: it is 2 or more, for --search halving", f.keep)
	}
	if f.normalize != "" {
		if f.normalize, err = choose("normalize", f.normalize, "standardize", "minmax"); err != nil {
			return err
		}
	}
	if err := f.settings.check(f.dataSpec, f.testSpec); err != nil {
		return err
	}
	if f.wish, err = f.shape.wish(func(name string) bool {
		return (name == "task" || name == "regression") && given(name)
	}); err != nil {
		return err
	}
	if f.save != "" {
		if err := ours("--save", f.save); err != nil {
			return err
		}
	}
	return f.prepared.check(given, f.testSpec)
}

// searchSpace reads the values to search.
func (f *tuneFlags) searchSpace(ctx context.Context, given func(string) bool) (tune.Space, error) {
	values := map[string]string{}
	if f.spaceFile != "" {
		text, err := storage.ReadFile(ctx, f.spaceFile)
		if err == nil {
			values, err = tune.ParseSpace(text)
		}
		if err != nil {
			return tune.Space{}, usagef("--space %s: %w", f.spaceFile, err)
		}
	}
	for name, value := range f.space {
		if given(name) {
			values[name] = *value
		}
	}
	s, err := tune.NewSpace(values)
	return s, f.explainSpace(err)
}

func (f *tuneFlags) explainSpace(err error) error {
	if wrong := (*tune.SpaceError)(nil); errors.As(err, &wrong) {
		if wrong.Setting == "" {
			return &usageError{err}
		}
		return usagef("--%w", err)
	}
	return err
}

// tune searches, and shows the result.
func (f *tuneFlags) tune(cmd *cobra.Command, out *console.Output, t *training, c tune.Config) error {
	info := t.train.Info()
	out.Line("%-10s %s, seed %d", "network", out.Strong(t.model), c.Seed)
	out.Line("%-10s %s examples of %s, %s held out", "data", progress.Count(int64(info.Examples)), info.Name,
		progress.Count(int64(t.test.Info().Examples)))
	out.Line("%-10s %s; by %s", "search", c.Describe(), c.Metric)
	out.Lines(c.Space.Lines())
	passes := tune.Passes(c.Plan())
	out.Emit("start", event{"model": t.model, "data": info.Name, "examples": info.Examples, "metric": c.Metric,
		"search": c.Search, "trials": c.Trials, "epochs": c.Epochs, "passes": passes, "seed": c.Seed,
		"master": c.Engine.Master(), "output": f.dir})
	out.Start("tune", int64(passes)*int64(info.Examples))
	c.Listen = func(e tune.Event) { told(out, c, e, int64(info.Examples)) }
	r, err := tune.Run(cmd.Context(), c)
	out.Stop()
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
	command := f.command(cmd.Flags(), t.model, r.Best, c.Metric)
	if r.Diverged > 0 {
		out.Line("%s diverged", progress.Plural(r.Diverged, "trial"))
	}
	out.Line("best       trial %d, epoch %d: %s", r.Best.Number, r.Best.Best(c.Metric, c.Epochs)+1, r.Best.Settings)
	if !queried(f.dataSpec) { // plain training has no cluster
		out.Line("the same model by: %s", command)
	}
	out.Line("saved %s: held-out %s %s; the trials are in %s", out.Strong(f.save), c.Metric,
		out.Strong(fmt.Sprintf("%.4f", *r.Best.Score(c.Metric))), c.Dir.Table())
	return out.Done(event{"trial": r.Best.Number, "settings": r.Best.Settings.Map(), "metric": c.Metric,
		"diverged": r.Diverged,
		c.Metric:   *r.Best.Score(c.Metric), "epochs": r.Best.Best(c.Metric, c.Epochs) + 1, "trials": len(r.Trials),
		"model": f.save, "table": c.Dir.Table(), "lines": c.Dir.Lines(), "command": command, "seconds": r.Duration.Seconds()})
}

// told shows a trial.
func told(out *console.Output, c tune.Config, e tune.Event, examples int64) {
	o := event{"trial": e.Number, "settings": e.Settings.Map(), "epochs": len(e.Epochs), "rung": e.Rung + 1,
		"seconds": e.Seconds, "best": e.Best}
	came := "diverged"
	if e.Diverged != "" {
		o["diverged"] = e.Diverged
	} else if score := e.Score(c.Metric); score != nil {
		came = fmt.Sprintf("%s %.4f", c.Metric, *score)
		o[c.Metric] = *score
	}
	if e.Best {
		came += "  best"
	}
	out.Line("trial %-4d %s  %s  %s  %.2f s", e.Number, e.Settings, progress.Plural(len(e.Epochs), "epoch"), came,
		e.Seconds)
	out.Emit("trial", o)
	out.Bar().Add(int64(e.Trained)*examples, came)
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
var elsewhereToo = append([]string{"master", "threads", "save", "output"}, clusterFlags...)

// keptFlags returns the flags that a search stores.
func keptFlags(fs *pflag.FlagSet) tune.Kept {
	kept := tune.Kept{}
	for _, name := range searched(fs) {
		if f := fs.Lookup(name); f.Changed {
			kept[name] = valuesOf(f)
		}
	}
	return kept
}

// command returns the command line that trains the best network.
func (f *tuneFlags) command(fs *pflag.FlagSet, model string, best *tune.Trial, metric string) string {
	args := []string{"dl4go", "train", "--training", "plain", "--model", model}
	if !fs.Changed("data") {
		args = append(args, "--data", f.dataSpec)
	}
	fs.Visit(func(flag *pflag.Flag) {
		skip := slices.Concat(tuneOnly, tune.Names(), clusterFlags, []string{"model", "threads"})
		if slices.Contains(skip, flag.Name) {
			return
		}
		for _, value := range valuesOf(flag) {
			if flag.NoOptDefVal == "" {
				args = append(args, "--"+flag.Name, value)
			} else {
				args = append(args, strings.TrimSuffix("--"+flag.Name+"="+value, "="+prepare.EveryColumn))
			}
		}
	})
	for _, s := range best.Settings {
		args = append(args, "--"+s.Name, s.Value)
	}
	return tune.Quote(append(args, "--epochs", fmt.Sprint(best.Best(metric, len(best.Epochs))+1), "--save", "best.zip"))
}
