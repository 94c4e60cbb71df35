package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
)

// applyFlags are what evaluate, predict and score have in common: a trained network is applied to data.
type applyFlags struct {
	engineFlags
	query        queryFlags
	model, data  string
	batch        int
	noNormalizer bool
	byPosition   bool
	allowNaN     bool
	json         bool
	table        *tableWrite // predictions go to
	piped        bool        // standard output is for results alone
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
	f.query.add(fs)
}

// applied is a network on an engine, and the data that it is applied to.
type applied struct {
	out    *output
	begin  time.Time
	net    *network
	source source.Source
	work   workplace
	engine engine.Engine
	on     *distributed.Network[nn.Network]
	data   *distributed.Data
	none   *distributed.NoRowsError // in place of data, where a table may be empty
}

// open opens everything and checks that it fits together. before, if not nil, is called with the network and what the data is like
// when that is done but for the engine.
func (f *applyFlags) open(cmd *cobra.Command, labels bool, before func(*network, source.Info) error) (a *applied, err error) {
	a = &applied{out: newOutput(cmd, f.json), begin: time.Now()}
	if f.piped {
		a.out.pipe()
	}
	a.work = workplace{flags: &f.engineFlags, query: &f.query, out: a.out}
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
	if err := f.query.check(f.data); err != nil {
		return nil, err
	}
	f.query.Unlabelled = !labels
	kernels, err := f.kernels()
	if err != nil {
		return nil, err
	}
	if err := checkSource(&a.work, "data", f.data); err != nil {
		return nil, err
	}
	if a.net, err = openTrained(cmd.Context(), a.out, f.model); err != nil {
		return nil, err
	}
	schema := a.net.schemaOr(f.byPosition)
	if f.table != nil {
		if err := f.table.check(ctx, &a.work); err != nil {
			return nil, err
		}
	}
	if f.table == nil && streams(&a.work, f.data, labels) {
		a.source, err = openStream(ctx, f.data, labels, schema)
	} else {
		a.source, err = openData(ctx, &a.work, "data", f.data, schema)
	}
	if f.table != nil && errors.As(err, &a.none) {
		if a.engine, err = a.work.open(ctx); err == nil {
			a.on = distributed.New(a.engine, a.net.Network, nil, distributed.Options{Batch: f.batch, Kernels: kernels.String()})
		}
		return a, err
	}
	if err != nil {
		return nil, err
	}
	if f.noNormalizer {
		a.net.normalizer = nil
	}
	if err := examine(ctx, "data", a.source, a.net, a.net.normalizer, labels); err != nil {
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
	a.on = distributed.New(a.engine, a.net.Network, nil, distributed.Options{Batch: f.batch, Kernels: kernels.String()})
	if _, pieces := a.source.(*stream); !pieces {
		partitions := a.source.Info().Examples / streamed // what comes to this process comes by partition
		if partitions < a.engine.Slots() {
			partitions = 0
		}
		if a.data, err = distributed.Spread(ctx, a.engine, a.source, a.net.normalizer, partitions); err != nil {
			return nil, err
		}
	}
	if !f.byPosition {
		a.out.positions(a.net.Schema(), a.source.Info())
	}
	if a.net.normalizer != nil {
		a.out.line("features go through the model's normalizer; --no-normalizer leaves it aside")
	}
	return a, nil
}

func (a *applied) close() error {
	if s, ok := a.source.(*stream); ok {
		s.Close()
	}
	return a.work.close()
}

// counted visits something for each of the source's examples, and shows how far it is.
func (a *applied) counted(what string, visit func(done func(examples int)) error) error {
	a.out.start(what, int64(a.source.Info().Examples))
	defer a.out.stop()
	return visit(func(n int) { a.out.bar.Add(int64(n), "") })
}

// some fails where no example came: what a query's table had when it was looked at first may be gone.
func (a *applied) some(examples int) error {
	if examples == 0 {
		return fmt.Errorf("--data: %s gave no examples", a.source.Info().Name)
	}
	return nil
}

// done emits the last event, with what all commands have.
func (a *applied) done(model string, examples int, e event) error {
	e["model"], e["examples"], e["seconds"] = model, examples, time.Since(a.begin).Seconds()
	return a.out.done(e)
}
