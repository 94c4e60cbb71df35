package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/normalizer"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/nn"
)

// applyFlags are the common flags of evaluate, predict and score: a trained network is applied to data.
type applyFlags struct {
	engineFlags
	settings     dataFlags
	model, data  string
	batch        int
	noNormalizer bool
	byPosition   bool
	allowNaN     bool
	json         bool
	table        *tableWrite // for predictions
	piped        bool        // standard output is for results only
}

func (f *applyFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVar(&f.model, "model", "", "`FILE` model zip")
	fs.StringVar(&f.data, "data", "", "`SOURCE` data")
	fs.IntVar(&f.batch, "batch", 64, "`N` examples at a time; results stay equal")
	fs.BoolVar(&f.noNormalizer, "no-normalizer", false, "do not apply the model's normalizer")
	addByPosition(fs, &f.byPosition)
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.engineFlags.add(fs, "local[*]")
	f.addDevice(fs)
}

// applied is a network on an engine, and the data that it is applied to.
type applied struct {
	out    *console.Output
	begin  time.Time
	net    *modelfile.Opened
	source interface{ Info() source.Info }
	stream *source.Stream // nil: not read as a stream
	work   workplace
	engine engine.Engine
	on     *distributed.Network[*nn.Network]
	data   *distributed.Data
	none   *distributed.NoRowsError // instead of data, if a table may be empty
}

// open opens everything and checks that it fits together. before, if not nil, is called with the network and a
// description of the data before the engine is started.
func (f *applyFlags) open(cmd *cobra.Command, labels bool,
	before func(*modelfile.Opened, source.Info) error) (a *applied, err error) {
	a = &applied{out: newOutput(cmd, f.json), begin: time.Now()}
	if f.piped {
		a.out.Pipe()
	}
	a.work = workplace{flags: &f.engineFlags, settings: &f.settings, out: a.out}
	defer func(opened *applied) {
		if err != nil {
			opened.close()
		}
	}(a)
	ctx := cmd.Context()
	if err := required(cmd, "model", "data"); err != nil {
		return nil, err
	}
	if err := positive(cmd, "batch", "threads"); err != nil {
		return nil, err
	}
	if err := f.settings.check(f.data); err != nil {
		return nil, err
	}
	f.settings.Unlabelled = !labels
	kernels, err := f.processor(false)
	if err != nil {
		return nil, err
	}
	name, o, err := a.work.named("data", f.data)
	if err != nil {
		return nil, err
	}
	if a.net, err = openTrained(cmd.Context(), a.out, f.model); err != nil {
		return nil, err
	}
	var schema *data.Schema // nil: all columns are taken by position
	if !f.byPosition {
		schema = a.net.Schema()
		o.Preparation = a.net.Preparation.For(name)
		f.settings.Preparation = o.Preparation
	}
	if f.table != nil {
		if err := f.table.check(ctx, &a.work); err != nil {
			return nil, err
		}
	}
	var s source.Source
	cluster := a.work.cluster() && distributed.ByWorkers(name, o.Options)
	streams := source.Streams(name, o.Options) && !cluster
	if o.As = schema; f.table == nil && (streams || name.StandardInput()) {
		a.stream, err = grace.Abandon(ctx, func() (*source.Stream, error) { return source.OpenStream(ctx, name, o.Options) })
		if err != nil {
			return nil, explainData("data", err)
		}
		a.source = a.stream
	} else {
		s, err = openData(ctx, &a.work, "data", f.data, schema)
		a.source = s
	}
	if f.table != nil && errors.As(err, &a.none) {
		if a.engine, err = a.work.open(ctx); err == nil {
			a.on = distributed.New(a.engine, a.net.Network, nil, distributed.Options{Batch: f.batch, Kernels: kernels})
		}
		return a, err
	}
	if err != nil {
		return nil, err
	}
	if f.noNormalizer {
		a.net.Normalizer = nil
	}
	if err := a.work.misfit("data", f.data, labels, a.examine(ctx, s, labels)); err != nil {
		return nil, err
	}
	if before != nil {
		if err := before(a.net, a.source.Info()); err != nil {
			return nil, err
		}
	}
	if a.engine, err = a.work.open(ctx); err != nil {
		return nil, err
	}
	a.on = distributed.New(a.engine, a.net.Network, nil, distributed.Options{Batch: f.batch, Kernels: kernels})
	if a.stream == nil {
		if a.data, err = distributed.Spread(ctx, a.engine, s, a.net.Normalizer, a.partitions()); err != nil {
			return nil, err
		}
	}
	if !f.byPosition {
		a.out.Lines(modelfile.Positions(a.net.Schema(), a.source.Info()))
	}
	if a.net.Normalizer != nil && a.source.Info().Task == "" {
		a.out.Line("features go through the model's normalizer; --no-normalizer leaves it aside")
	}
	return a, nil
}

// examine compares the data with the network. If the data is a stream, it reads only the first example.
func (a *applied) examine(ctx context.Context, s source.Source, labels bool) error {
	if a.stream == nil {
		return distributed.Examine(ctx, s, examination(a.net, labels))
	}
	if err := examination(a.net, labels).Example(a.stream.First().Clone()); err != nil {
		return fmt.Errorf("%s: %w", a.source.Info().Name, err)
	}
	return nil
}

// partitions returns the number of partitions for the data: this process gets the results by partition.
func (a *applied) partitions() int {
	n := a.source.Info().Examples / distributed.PieceRows
	if n < a.engine.Slots() {
		return 0
	}
	return n
}

func (a *applied) close() error {
	if a.stream != nil {
		a.stream.Close()
	}
	return a.work.close()
}

// eachPiece calls f with the data, or with the pieces of a stream in order.
func (a *applied) eachPiece(ctx context.Context, f func(*distributed.Data) error) error {
	if a.stream == nil {
		return f(a.data)
	}
	err := a.on.EachPiece(ctx, a.stream, a.net.Normalizer, f)
	if wrong := (*distributed.StreamError)(nil); errors.As(err, &wrong) {
		err = fmt.Errorf("--data: %w", err)
	}
	return err
}

// counted calls visit for each of the source's examples, and shows the progress.
func (a *applied) counted(what string, visit func(done func(examples int)) error) error {
	a.out.Start(what, int64(a.source.Info().Examples))
	defer a.out.Stop()
	return visit(func(n int) { a.out.Bar().Add(int64(n), "") })
}

// some fails if there was no example: rows that a query's table had when it was first read may be gone.
func (a *applied) some(examples int) error {
	if examples == 0 {
		return fmt.Errorf("--data: %s gave no examples", a.source.Info().Name)
	}
	return nil
}

// done emits the last event, with the members that all commands have.
func (a *applied) done(model string, examples int, e event) error {
	filtered := 0
	switch {
	case a.stream != nil:
		filtered = a.stream.Filtered()
	case a.source != nil: // a table without rows has no source
		filtered = a.source.Info().Filtered
	}
	if a.stream != nil {
		a.work.tellNotes("data", a.stream.Notes())
	}
	if filtered > 0 {
		a.out.Line("the model's pipeline left %s out", progress.Plural(filtered, "row"))
		e["filtered"] = filtered
	}
	e["model"], e["examples"], e["seconds"] = model, examples, time.Since(a.begin).Seconds()
	return a.out.Done(e)
}

// keyColumns returns the number of columns of an example's key, if it is the key of a query's row.
func (a *applied) keyColumns() int {
	if a.data == nil {
		return 0
	}
	return a.data.KeyColumns()
}

// ownUnit returns the scaler that converts the predictions and labels of a model with a pipeline to their own unit;
// nil for other models.
func (a *applied) ownUnit() *normalizer.Scaler {
	if a.source.Info().Task != source.Regression {
		return nil
	}
	n, _ := a.net.Normalizer.(*normalizer.Scaler)
	return n
}
