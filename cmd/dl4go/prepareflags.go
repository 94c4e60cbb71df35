package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
	"github.com/dl4go/dl4go/storage"
)

// prepareFlags say how the columns and the rows of data are prepared.
type prepareFlags struct {
	pipeline, missing, text, split string
	none                           bool
	categories, sample             int
	settings                       prepare.Settings
	ofPipeline                     []string // given flags that have no meaning without a pipeline
}

// prepareNames are the names of these flags.
var prepareNames = []string{"pipeline", "no-pipeline", "missing", "max-categories", "embed", "text", "drop",
	"split", "sample"}

func (f *prepareFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.pipeline, "pipeline", "", "`FILE` steps from raw columns to features")
	fs.BoolVar(&f.none, "no-pipeline", false, "take numbers as they are")
	fs.StringVar(&f.missing, "missing", "median", "`HOW` gaps: median, mean, drop or error")
	fs.IntVar(&f.categories, "max-categories", 0, "`N` values of a column with a feature each")
	embedFlag(fs, &f.settings.Proposal.Embed)
	fs.StringVar(&f.text, "text", "", "`HOW` free text: hash:N features, or drop (default: error)")
	fs.StringSliceVar(&f.settings.Proposal.Drop, "drop", nil, "`COLUMNS` to leave out")
	fs.StringVar(&f.split, "split", "", "`SHARE` train on it, hold the rest out: 0.8[:stratified]")
	fs.IntVar(&f.sample, "sample", 0, "`N` rows drawn by chance, for a quick look")
}

func embedFlag(fs *pflag.FlagSet, to *analysis.Embed) {
	f := fs.VarPF(prepare.EmbedFlag{Of: to}, "embed", "", "`[=COLUMNS]` built-in: vectors of categories, not one-hot")
	f.NoOptDefVal = prepare.EveryColumn
}

// check reads the flags.
func (f *prepareFlags) check(given func(string) bool, test string) (err error) {
	s := &f.settings
	switch {
	case f.pipeline != "" && f.none:
		return usagef("--pipeline and --no-pipeline can't be given together")
	case given("split") && test != "" && test != "none":
		return usagef("--split and --test can't be given together: both say what is held out")
	case given("sample") && f.sample < 1:
		return usagef("--sample %d: at least 1 row is needed", f.sample)
	case given("max-categories") && f.categories < 1:
		return usagef("--max-categories %d: at least 1 is needed", f.categories)
	}
	for _, name := range []string{"missing", "max-categories", "text", "drop"} {
		if given(name) && (f.pipeline != "" || f.none) {
			return usagef("--%s is for the pipeline that dl4go proposes: leave out --pipeline and --no-pipeline", name)
		}
	}
	for _, name := range []string{"split", "sample", "missing", "max-categories", "embed", "text", "drop"} {
		if given(name) {
			f.ofPipeline = append(f.ofPipeline, name)
		}
	}
	missing, err := choose("missing", f.missing, "median", "mean", "drop", "error")
	if err != nil {
		return err
	}
	s.Proposal.Missing = analysis.Missing(missing)
	if given("split") {
		if s.Split, err = prepare.ParseSplit(f.split); err != nil {
			return usagef("--split %w", err)
		}
	}
	s.Proposal.Text, s.Proposal.MaxCategories, s.Sample = f.text, f.categories, f.sample
	return nil
}

// proposes returns the name of a given flag that requires a pipeline; empty if there is none.
func (f *prepareFlags) proposes() string {
	for _, name := range []string{"missing", "max-categories", "text", "embed", "drop"} {
		if slices.Contains(f.ofPipeline, name) {
			return name
		}
	}
	if f.pipeline != "" {
		return "pipeline"
	}
	return ""
}

// openPrepared opens the training data through a pipeline. It returns nil if the data needs none.
func (t *training) openPrepared(ctx context.Context, spec string) (*prepare.Result, error) {
	f := &t.prepared
	n, err := t.settings.name("data", spec)
	if err != nil {
		return nil, err
	}
	s := f.settings
	s.Seed, s.Room = t.seed, t.settings.Room
	if t.net != nil && !t.byPosition {
		s.Known = t.net.Preparation.For(n)
	}
	builtIn := t.model == "" || slices.Contains(nn.BuiltIns(), t.model)
	switch {
	case f.none || t.byPosition || n.StandardInput(),
		distributed.NeedsEngine(n) && !t.work.cluster(): // which is reported when it is opened
		return nil, f.unused(n)
	case slices.Contains(f.ofPipeline, "embed") && t.from == nil && (t.net != nil || !builtIn):
		return nil, usagef("--embed: it is for a built-in network, and %s says all; leave it out", t.model)
	case s.Known != nil && f.proposes() != "" && t.from == nil:
		return nil, usagef("--%s: %s has a pipeline already; leave the flag out, or use --no-pipeline", f.proposes(),
			t.model)
	case s.Known != nil:
	case f.pipeline != "":
		text, err := storage.ReadFile(ctx, f.pipeline)
		if err == nil {
			s.Pipeline, err = pipeline.Parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--pipeline %s: %w", f.pipeline, err)
		}
	case source.Sequenced(n): // a pipeline makes them, and this machine reads the rows
	case t.from != nil || !builtIn || t.normalize != "" || t.noNormalizer:
		return nil, f.unused(n)
	default:
		if raw, err := prepare.Raw(ctx, n, t.work.open); err != nil {
			return nil, explainData("data", err)
		} else if !raw {
			return nil, f.unused(n)
		}
	}
	r, err := t.prepareOn(ctx, n, s)
	if step := (*pipeline.StepError)(nil); errors.As(err, &step) && f.pipeline != "" {
		return nil, fmt.Errorf("--pipeline %s: %w", f.pipeline, err)
	}
	if err != nil {
		return nil, explainData("data", err)
	}
	return r, nil
}

// prepareOn makes examples of raw rows, on the workers if they read the rows.
func (t *training) prepareOn(ctx context.Context, n source.Name, s prepare.Settings) (*prepare.Result, error) {
	here := func() (*prepare.Result, error) {
		r, err := grace.Abandon(ctx, func() (*prepare.Result, error) { return prepare.Open(ctx, n, s) })
		if err == nil {
			t.work.opened = append(t.work.opened, r.Train)
		}
		return r, err
	}
	if t.work.flags.kind() == "local" && !distributed.NeedsEngine(n) {
		return here()
	}
	e, err := t.work.open(ctx)
	if err != nil {
		return nil, err
	}
	if !prepare.ByWorkers(ctx, e, n) {
		return here()
	}
	o := t.settings.OpenOptions
	o.Busy = t.work.busy
	r, err := prepare.OpenOn(ctx, e, n, s, o)
	if err == nil {
		t.work.opened = append(t.work.opened, r.Train, r.HeldOut)
	}
	return r, err
}

// partFlags are the flags that select the rows for training.
var partFlags = []string{"split", "sample", "cross-validate"}

// parts reports whether only some of the rows are trained on.
func (f *prepareFlags) parts() bool {
	return slices.ContainsFunc(f.ofPipeline, func(name string) bool { return slices.Contains(partFlags, name) })
}

// unused refuses flags that have no meaning without a pipeline. Data that is no table, such as pictures, can be split
// without one.
func (f *prepareFlags) unused(n source.Name) error {
	k, _ := source.KindOf(n.Kind)
	_, table := k.(source.Tabular)
	for _, name := range f.ofPipeline {
		if table || distributed.NeedsEngine(n) || !slices.Contains(partFlags, name) {
			return usagef("--%s is for tables that go through a pipeline: csv:, jsonl:, parquet: and sql: data of a built-in "+
				"network, without --normalize and --no-pipeline", name)
		}
	}
	return nil
}

// keepPreparation makes the model and the other data use the preparation of the training data.
func (t *training) keepPreparation(r *prepare.Result) {
	t.settings.Preparation = r.Preparation
	for _, c := range r.Columns {
		t.out.Line("column %-20s %s", c.Column, c.Reason)
	}
	if n := r.Train.Info().Filtered; n > 0 {
		t.out.Line("the pipeline leaves %s out", progress.Plural(n, "row"))
	}
	for _, n := range r.Notices {
		t.out.Line("notice %v", n)
	}
}
