package apply

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/workplace"
)

// Open opens everything, and checks that it fits together. It closes the place if it fails.
func Open(ctx context.Context, place *workplace.Place, o Options, w Want) (*Applied, error) {
	a := &opening{&Applied{Options: o, Out: place.Out, begin: time.Now(), place: place}, w}
	if err := a.open(ctx); err != nil {
		a.Close()
		return nil, err
	}
	return a.Applied, nil
}

// opening is a network and data that are being opened.
type opening struct {
	*Applied
	want Want
}

func (a *opening) open(ctx context.Context) error {
	name, read, err := a.place.Named("data", a.Data)
	if err != nil {
		return err
	}
	if a.Network, err = workplace.OpenTrained(ctx, a.Out, a.Model); err != nil {
		return err
	}
	if !a.ByPosition {
		read.Preparation = a.Network.Preparation.For(name)
		a.place.Data.Preparation = read.Preparation
	}
	if a.want.Table != nil {
		if err := a.want.Table.check(ctx, a.Applied); err != nil {
			return err
		}
	}
	s, err := a.read(ctx, name, read)
	if err != nil {
		return err
	}
	if a.none != nil {
		return a.start(ctx)
	}
	if a.NoNormalizer {
		a.Network.Normalizer = nil
	}
	if err := a.place.Misfit("data", a.Data, a.want.Labels, a.examine(ctx, s)); err != nil {
		return err
	}
	if a.want.Before != nil {
		if err := a.want.Before(a.Network, a.source.Info()); err != nil {
			return err
		}
	}
	return a.spread(ctx, s)
}

// read opens the data: as a stream if nothing needs all of it at a time. For a table, a query may give no rows.
func (a *opening) read(ctx context.Context, n source.Name, o distributed.OpenOptions) (s source.Source, err error) {
	byWorkers := a.place.Cluster() && distributed.ByWorkers(n, o.Options)
	streams := source.Streams(n, o.Options) && !byWorkers
	if !a.ByPosition {
		o.As = a.Network.Schema()
	}
	if a.want.Table == nil && (streams || n.StandardInput()) {
		a.stream, err = grace.Abandon(ctx, func() (*source.Stream, error) { return source.OpenStream(ctx, n, o.Options) })
		if err != nil {
			return nil, workplace.ExplainData("data", err)
		}
		a.source = a.stream
		return nil, nil
	}
	s, err = a.place.OpenData(ctx, "data", a.Data, o.As)
	if a.want.Table != nil && errors.As(err, &a.none) {
		return nil, nil
	}
	a.source = s
	return s, err
}

// start starts the engine.
func (a *opening) start(ctx context.Context) (err error) {
	if a.engine, err = a.place.Open(ctx); err == nil {
		a.on = distributed.New(a.engine, a.Network.Network, nil, distributed.Options{Batch: a.Batch, Kernels: a.Kernels})
	}
	return err
}

// spread starts the engine, and gives it the data, unless that is a stream.
func (a *opening) spread(ctx context.Context, s source.Source) (err error) {
	if err := a.start(ctx); err != nil {
		return err
	}
	if a.stream == nil {
		a.data, err = distributed.Spread(ctx, a.engine, s, a.Network.Normalizer, a.partitions())
		if err != nil {
			return err
		}
	}
	if !a.ByPosition {
		a.Out.Lines(modelfile.Positions(a.Network.Schema(), a.source.Info()))
	}
	if a.Network.Normalizer != nil && a.source.Info().Task == "" {
		a.Out.Line("features go through the model's normalizer; --no-normalizer leaves it aside")
	}
	return nil
}

// examine compares the data with the network. If the data is a stream, it reads only the first example.
func (a *opening) examine(ctx context.Context, s source.Source) error {
	if a.stream == nil {
		return distributed.Examine(ctx, s, workplace.Examination(a.Network, a.want.Labels))
	}
	if err := workplace.Examination(a.Network, a.want.Labels).Example(a.stream.First().Clone()); err != nil {
		return fmt.Errorf("%s: %w", a.source.Info().Name, err)
	}
	return nil
}

// partitions returns the number of partitions for the data: this process gets the results by partition.
func (a *opening) partitions() int {
	n := a.source.Info().Examples / distributed.PieceRows
	if n < a.engine.Slots() {
		return 0
	}
	return n
}
