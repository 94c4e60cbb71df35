package dl4go

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/pipeline/analysis"
)

// Columns say how [Prepare] makes examples. The zero value proposes a pipeline, and holds out nothing.
type Columns struct {
	// Pipeline has the steps from raw columns to features and labels. Nil: Prepare proposes one for the training rows.
	Pipeline *pipeline.Pipeline
	// Proposal has the options of a proposed pipeline: gaps, categories, free text, columns to drop. The name of the
	// data says which columns are labels, so Label, Classes and Regression must be empty.
	Proposal analysis.Options
	// Split is the share of the rows to train on; the others are held out. "0.8" draws them, "0.8:stratified" keeps the
	// shares of the classes, "0.8:time=COLUMN" holds out the latest rows, "0.8:group=COLUMN" keeps the rows of a group
	// together. Empty: no rows are held out.
	Split string
	// Folds divides the rows for cross-validation, instead of Split: "5", "5:stratified" or "5:group=COLUMN". Fold is
	// the one that is held out, from 0.
	Folds string
	Fold  int
	// Sample is the number of rows to use, drawn by chance. 0: all.
	Sample int
	// Seed is for drawing rows. 0: 1.
	Seed int64
	// Memory is the number of bytes for the examples. If they need more, they go to disk, in TMPDIR. 0: they stay in
	// memory. It has no effect on data that the workers of an engine read.
	Memory int64
}

// Prepared is training data, with the pipeline that makes its examples of raw columns. See [Config].Prepared.
type Prepared struct {
	// Train has the examples to train on.
	Train source.Source
	// HeldOut has the examples that Columns hold out. It is nil if there are none.
	HeldOut source.Source
	// Preparation is the pipeline, with its labels. It is nil for data without raw columns, such as pictures.
	Preparation *source.Preparation
	// Decisions say how a proposed pipeline treats the columns, and Notices what a person should know about them.
	Decisions []analysis.Decision
	Notices   []analysis.Notice

	opened []source.Source // to be closed
}

// Prepare opens data for training as dl4go train does. If it has raw columns, such as csv:people.csv?label=income, a
// pipeline makes the examples: texts become categories, gaps are filled, numbers are scaled. The pipeline learns from
// the training rows alone. Other data, such as pictures, is only split. The caller closes the result.
func Prepare(ctx context.Context, spec string, c Columns) (*Prepared, error) {
	return c.open(ctx, nil, spec, nil)
}

// PrepareOn is Prepare for the workers of an engine. They read the rows where [ReadOn] lets them read files. Close the
// result before the engine.
func PrepareOn(ctx context.Context, e engine.Engine, spec string, c Columns) (*Prepared, error) {
	if e == nil {
		return nil, errors.New("dl4go.PrepareOn: there is no engine: it is nil; Open one, or call Prepare")
	}
	return c.open(ctx, e, spec, nil)
}

// Prepare is the function Prepare for training the model further, as [Trained]: raw columns go through the model's
// pipeline. Columns without a Pipeline and a Proposal are required then.
func (m *Model) Prepare(ctx context.Context, spec string, c Columns) (*Prepared, error) {
	known, err := modelfile.PreparationOf(m.net)
	if err != nil {
		return nil, err
	}
	return c.open(ctx, nil, spec, known)
}

// Read is the function Read for data like the training data, such as a test set: raw columns go through the same
// pipeline.
func (p *Prepared) Read(ctx context.Context, spec string) (source.Source, error) {
	return readAs(ctx, spec, source.Options{As: p.Train.Info().Schema, Preparation: p.Preparation})
}

// Close frees what the data has on disk or on an engine.
func (p *Prepared) Close() error {
	var errs []error
	for _, s := range p.opened {
		if c, ok := s.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// settings checks the columns.
func (c Columns) settings() (s prepare.Settings, err error) {
	wrong := func(field, problem string) error { return fmt.Errorf("dl4go.Columns.%s: %s", field, problem) }
	switch {
	case c.Proposal.Label != nil || c.Proposal.Classes != nil || c.Proposal.Regression:
		return s, wrong("Proposal", "the name of the data says what the labels are; write ?label=COLUMN in it")
	case c.Split != "" && c.Folds != "":
		return s, wrong("Folds", "it can't be set together with Split; both say what is held out")
	case c.Sample < 0 || c.Memory < 0:
		return s, wrong("Sample", fmt.Sprintf("Sample and Memory are %d and %d; none can be negative", c.Sample, c.Memory))
	}
	s = prepare.Settings{Pipeline: c.Pipeline, Proposal: c.Proposal, Sample: c.Sample, Seed: c.Seed}
	if s.Proposal.Words == nil { // these are settings of the data's name
		s.Proposal.Words = map[string]string{"Regression": "regression=true", "Classes": "classes=N",
			"Names": "names=LIST"}
	}
	if c.Seed == 0 {
		s.Seed = modelfile.DefaultSeed
	}
	if c.Memory > 0 {
		s.Room, s.Memory = &source.Room{Memory: c.Memory}, c.Memory
	}
	switch {
	case c.Split != "":
		if s.Split, err = prepare.ParseSplit(c.Split); err != nil {
			return s, wrong("Split", err.Error())
		}
	case c.Folds != "":
		if s.Split, err = prepare.ParseFolds(c.Folds); err != nil {
			return s, wrong("Folds", err.Error())
		}
		if s.Split.Fold = c.Fold; c.Fold < 0 || c.Fold >= s.Split.Folds {
			return s, wrong("Fold", fmt.Sprintf("%d: there are folds 0 to %d", c.Fold, s.Split.Folds-1))
		}
	}
	return s, s.Proposal.Validate()
}

// proposes reports whether something is wanted of a new pipeline.
func (c Columns) proposes() bool {
	p := c.Proposal
	return c.Pipeline != nil || p.Drop != nil || p.Missing != "" || p.MaxCategories != 0 || p.Text != "" ||
		p.Embed.All || p.Embed.Columns != nil
}

// open opens data: by the workers of an engine unless it is nil, and with the pipeline of a model unless known is nil.
func (c Columns) open(ctx context.Context, e engine.Engine, spec string, known *source.Preparation) (*Prepared, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	n, err := source.Parse(spec)
	if err != nil {
		return nil, fmt.Errorf("data source %w", err)
	}
	s, err := c.settings()
	if err != nil {
		return nil, err
	}
	if s.Known = known.For(n); s.Known != nil && c.proposes() {
		return nil, errors.New("dl4go.Columns: the model has a pipeline already; leave Pipeline and Proposal out")
	}
	raw := s.Known != nil || c.Pipeline != nil || source.Sequenced(n)
	if !raw && (e != nil || !distributed.NeedsEngine(n)) {
		raw, err = prepare.Raw(ctx, n, func(context.Context) (engine.Engine, error) { return e, nil })
		if err != nil {
			return nil, err
		}
	}
	if !raw {
		return c.plain(ctx, e, n, s)
	}
	var r *prepare.Result
	var opened []source.Source
	if e != nil && prepare.ByWorkers(ctx, e, n) {
		if r, err = prepare.OpenOn(ctx, e, n, s, distributed.OpenOptions{Count: true}); err == nil {
			opened = []source.Source{r.Train, r.HeldOut}
		}
	} else if r, err = prepare.Open(ctx, n, s); err == nil {
		opened = []source.Source{r.Train} // HeldOut is in the same files
	}
	if err != nil {
		return nil, err
	}
	return &Prepared{Train: r.Train, HeldOut: r.HeldOut, Preparation: r.Preparation, Decisions: r.Columns,
		Notices: r.Notices, opened: opened}, nil
}

// plain opens data that goes through no pipeline.
func (c Columns) plain(ctx context.Context, e engine.Engine, n source.Name, s prepare.Settings) (*Prepared, error) {
	if c.proposes() {
		return nil, fmt.Errorf("dl4go.Columns: %s has no raw columns; leave Pipeline and Proposal out", n)
	}
	var all source.Source
	var err error
	if o := (source.Options{Room: s.Room}); e != nil { // Part gives each part the rows of the whole
		all, err = distributed.Open(ctx, e, n, distributed.OpenOptions{Options: o, Count: true})
	} else {
		all, err = source.OpenName(ctx, n, o)
	}
	if err != nil {
		return nil, err
	}
	p := &Prepared{Train: all, opened: []source.Source{all}}
	if s.Split == (prepare.Split{}) && s.Sample == 0 {
		return p, nil
	}
	if p.Train, p.HeldOut, err = prepare.Part(ctx, all, n, s.Split, s.Sample, s.Seed); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}
