package main

import (
	"context"
	"io"
	"log/slog"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// trainer is a way of training a network. Where it fails, the network is as after the last complete step.
type trainer interface {
	// epoch trains on every example once, and counts the epoch.
	epoch(ctx context.Context, done func(step)) error
	// iterations trains n more iterations, starting over where the data ends, and counts no epoch.
	iterations(ctx context.Context, n int, done func(step)) error
	close() error
}

// step is a complete part of training: a minibatch, a round of parameter averaging, or some shared updates.
type step struct {
	examples int
	score    float64
	note     string // of the way of training, for the progress line
	details  event  // for the progress event
}

// averaging trains by parameter averaging.
type averaging struct {
	net    *nn.MultiLayer
	master *paramavg.TrainingMaster
	data   *distributed.Data
}

func heard(done func(step)) func(distributed.Round) {
	return func(r distributed.Round) { done(step{examples: r.Examples, score: r.Score}) }
}

func (a *averaging) epoch(ctx context.Context, done func(step)) error {
	return a.master.Fit(ctx, a.net, a.data, heard(done))
}

func (a *averaging) iterations(ctx context.Context, n int, done func(step)) error {
	return a.master.FitIterations(ctx, a.net, a.data, n, heard(done))
}

func (a *averaging) close() error { return a.master.Close() }

func (a *averaging) stats() *stats.Collector { return a.master.Stats() }

// plain trains in this process, minibatch after minibatch. The examples of a table are permuted, and random numbers
// keyed, as one worker of parameter averaging does; saved minibatches keep their order.
type plain struct {
	net    *network
	source source.Source
	batch  int // 0: saved minibatches as they are
	seed   uint64
	log    *slog.Logger
}

func (p *plain) epoch(ctx context.Context, done func(step)) error {
	return p.train(func() error {
		if _, err := p.pass(ctx, 0, 0, done); err != nil {
			return err
		}
		p.net.SetEpoch(p.net.Epoch() + 1)
		return nil
	})
}

func (p *plain) iterations(ctx context.Context, n int, done func(step)) error {
	return p.train(func() error {
		for again := 0; n > 0; again++ {
			trained, err := p.pass(ctx, again, n, done)
			if err != nil {
				return err
			}
			n -= trained
		}
		return nil
	})
}

func (p *plain) close() error { return nil }

// train warns where a fit has changed nothing. That is no error: a schedule's rate may be 0 for a while.
func (p *plain) train(fit func() error) error {
	before := slices.Clone(p.net.Params())
	if err := fit(); err != nil {
		return err
	}
	if slices.Equal(before, p.net.Params()) {
		p.log.Warn("training changed no parameter: is the learning rate 0?")
	}
	return nil
}

// pass goes through the data once, or until limit minibatches if that is not 0, and tells how many there were.
func (p *plain) pass(ctx context.Context, again, limit int, done func(step)) (int, error) {
	key := nn.Key{Seed: p.seed, Epoch: paramavg.Pass(p.net.Epoch(), again)}
	ahead := data.Prefetch(p.minibatches(key.Epoch), 2)
	defer ahead.Close()
	trained := 0
	for limit == 0 || trained < limit {
		if err := context.Cause(ctx); err != nil {
			return trained, err
		}
		m, err := ahead.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return trained, err
		}
		score, err := p.net.Fit(m, key)
		if err != nil {
			return trained, err
		}
		key.Example += uint64(m.Examples())
		trained++
		done(step{examples: m.Examples(), score: score})
	}
	return trained, nil
}

func (p *plain) minibatches(pass uint64) data.Iterator {
	var it data.Iterator
	if t, ok := p.source.(source.Table); ok {
		it = &permuted{table: t, batch: p.batch, rest: paramavg.Permutation(p.seed, pass, t.Objects())}
	} else {
		it = source.Batches(p.source, p.batch)
	}
	if p.net.normalizer != nil {
		it = normalized{it, p.net.normalizer}
	}
	return it
}

// permuted gives a table's examples in the order of their indices.
type permuted struct {
	table source.Table
	batch int
	rest  []int64
}

func (p *permuted) Next() (*data.MultiDataSet, error) {
	n := min(p.batch, len(p.rest))
	if n == 0 {
		return nil, io.EOF
	}
	rows := make([]int, n)
	for i, k := range p.rest[:n] {
		rows[i] = int(k)
	}
	p.rest = p.rest[n:]
	return p.table.Examples(rows), nil
}
