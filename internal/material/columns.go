package material

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// Columns say how the columns and the rows of data are prepared.
type Columns struct {
	Pipeline string // a file; empty: that of the model, or a proposed one
	None     bool   // numbers are taken as they are
	Settings prepare.Settings
	Given    []string // given flags that have no meaning without a pipeline
}

// proposes returns the name of a given flag that requires a pipeline; empty if there is none.
func (c *Columns) proposes() string {
	for _, name := range []string{"missing", "max-categories", "text", "embed", "drop"} {
		if slices.Contains(c.Given, name) {
			return name
		}
	}
	if c.Pipeline != "" {
		return "pipeline"
	}
	return ""
}

// openPrepared opens the training data through a pipeline. It returns nil if the data needs none.
func (m *Material) openPrepared(ctx context.Context, spec string) (*prepare.Result, error) {
	c := &m.Columns
	n, err := m.Place.Data.Name("data", spec)
	if err != nil {
		return nil, err
	}
	s := c.Settings
	s.Seed, s.Room = m.Seed, m.Place.Data.Room
	if m.Network != nil && !m.ByPosition {
		s.Known = m.Network.Preparation.For(n)
	}
	builtIn := m.Model == "" || slices.Contains(nn.BuiltIns(), m.Model)
	switch {
	case c.None || m.ByPosition || n.StandardInput(),
		distributed.NeedsEngine(n) && !m.Place.Cluster(): // which is reported when it is opened
		return nil, c.unused(n)
	case slices.Contains(c.Given, "embed") && m.From == nil && (m.Network != nil || !builtIn):
		return nil, usage.Errorf("--embed only applies to built-in networks, not to %s; leave it out", m.Model)
	case s.Known != nil && c.proposes() != "" && m.From == nil:
		return nil, usage.Errorf("--%s: %s has a pipeline already; leave the flag out, or use --no-pipeline", c.proposes(),
			m.Model)
	case s.Known != nil:
	case c.Pipeline != "":
		text, err := storage.ReadFile(ctx, c.Pipeline)
		if err == nil {
			s.Pipeline, err = pipeline.Parse(text)
		}
		if err != nil {
			return nil, fmt.Errorf("--pipeline %s: %w", c.Pipeline, err)
		}
	case source.Sequenced(n): // a pipeline makes them, and this machine reads the rows
	case m.From != nil || !builtIn || m.Normalize != "" || m.NoNormalizer:
		return nil, c.unused(n)
	default:
		if raw, err := prepare.Raw(ctx, n, m.Place.Open); err != nil {
			return nil, workplace.ExplainData("data", err)
		} else if !raw {
			return nil, c.unused(n)
		}
	}
	r, err := m.prepareOn(ctx, n, s)
	if step := (*pipeline.StepError)(nil); errors.As(err, &step) && c.Pipeline != "" {
		return nil, fmt.Errorf("--pipeline %s: %w", c.Pipeline, err)
	}
	if err != nil {
		return nil, workplace.ExplainData("data", err)
	}
	return r, nil
}

// prepareOn makes examples of raw rows, on the workers if they read the rows.
func (m *Material) prepareOn(ctx context.Context, n source.Name, s prepare.Settings) (*prepare.Result, error) {
	here := func() (*prepare.Result, error) {
		r, err := grace.Abandon(ctx, func() (*prepare.Result, error) { return prepare.Open(ctx, n, s) })
		if err == nil {
			m.Place.Own(r.Train)
		}
		return r, err
	}
	if m.Place.Engine.Kind() == "local" && !distributed.NeedsEngine(n) {
		return here()
	}
	e, err := m.Place.Open(ctx)
	if err != nil {
		return nil, err
	}
	if !prepare.ByWorkers(ctx, e, n) {
		return here()
	}
	o := m.Place.Data.OpenOptions
	o.Busy = m.Place.Busy
	r, err := prepare.OpenOn(ctx, e, n, s, o)
	if err == nil {
		m.Place.Own(r.Train, r.HeldOut)
	}
	return r, err
}

// partFlags are the flags that select the rows for training.
var partFlags = []string{"split", "sample", "cross-validate"}

// parts reports whether only some of the rows are trained on.
func (c *Columns) parts() bool {
	return slices.ContainsFunc(c.Given, func(name string) bool { return slices.Contains(partFlags, name) })
}

// unused refuses flags that have no meaning without a pipeline. Data that is no table, such as pictures, can be split
// without one.
func (c *Columns) unused(n source.Name) error {
	k, _ := source.KindOf(n.Kind)
	_, table := k.(source.Tabular)
	for _, name := range c.Given {
		if table || distributed.NeedsEngine(n) || !slices.Contains(partFlags, name) {
			return usage.Errorf("--%s is for tables that go through a pipeline: csv:, jsonl:, parquet: and sql: data of a "+
				"built-in network, without --normalize and --no-pipeline", name)
		}
	}
	return nil
}

// keepPreparation makes the model and the other data use the preparation of the training data.
func (m *Material) keepPreparation(r *prepare.Result) {
	m.Place.Data.Preparation = r.Preparation
	if r.Last != "" {
		m.Out.Line("--label was not given: learning the last column, %s", console.Name(r.Last, 40))
	}
	for _, c := range r.Columns {
		m.Out.Line("column %-20s %s", console.Name(c.Column, 40), console.Printable(c.Reason, 300))
	}
	if n := r.Train.Info().Filtered; n > 0 {
		m.Out.Line("the pipeline leaves %s out", progress.Plural(n, "row"))
	}
	for _, n := range r.Notices {
		m.Out.Line("notice %s", console.Printable(n.String(), 2000))
	}
}
