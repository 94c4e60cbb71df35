package train

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/stored"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/stats"
)

// plain trains in this process, one minibatch after the other. As with one worker of parameter averaging, the examples
// of a table are permuted, and random numbers are keyed; saved minibatches keep their order.
type plain struct {
	net        *nn.Network
	source     source.Source
	normalizer data.Normalizer // nil: none
	batch      int             // 0: saved minibatches unchanged
	seed       uint64
	augment    *data.Augmenter
	weigher    *data.Weigher
	log        *slog.Logger
	keep       distributed.Checkpoints // nil: no checkpoints
	collector  *stats.Collector        // nil: no statistics
	gauge      *distributed.Gauge
	looks      distributed.Looks
	profile    program.Profile

	from *distributed.Place // the start of the next pass; nil at its beginning
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
		again := 0
		if p.from != nil {
			again = int((p.from.Pass - paramavg.Pass(p.net.Epoch(), 0)) >> 32)
		}
		for ; n > 0; again++ {
			trained, err := p.pass(ctx, again, n, done)
			if err != nil {
				return err
			}
			n -= trained
		}
		return nil
	})
}

func (p *plain) resume(at distributed.Place) { p.from = &at }

func (p *plain) state() ([]byte, error) { return nil, nil }

func (p *plain) close() error {
	if p.looks.Profile {
		if err := p.net.SetProfile(nil); err != nil {
			return err
		}
	}
	if p.looks.GradientLimit > 0 {
		p.net.DetectAnomalies(0)
	}
	return nil
}

func (p *plain) stats() *stats.Collector {
	p.collector.AddCosts(p.profile.Take()...)
	return p.collector
}

// train warns if a fit has changed nothing.
func (p *plain) train(fit func() error) error {
	before := slices.Clone(p.net.Params())
	if err := fit(); err != nil {
		return err
	}
	distributed.WarnUnmoved(p.log, before, p.net.Params(), "")
	return nil
}

// pass goes through the data once, or trains most minibatches of it if that is not 0, and returns the number of
// trained minibatches. A minibatch of sequences cut into segments is several of the network's iterations.
func (p *plain) pass(ctx context.Context, again, most int, done func(step)) (trained int, err error) {
	key := nn.Key{Seed: p.seed, Epoch: paramavg.Pass(p.net.Epoch(), again)}
	at := distributed.Place{Pass: key.Epoch, Begun: p.net.Iteration()}
	last := most
	if p.from != nil && most > 0 {
		last += p.from.Done
	}
	minibatches, end := p.minibatches(ctx, key.Epoch, last)
	defer end()
	ahead := data.Prefetch(minibatches, 2)
	defer ahead.Close()
	if p.from != nil {
		if err := skip(ctx, ahead, p.from.Done); err != nil {
			return 0, err
		}
		at, p.from = *p.from, nil
		key.Example = uint64(at.Examples)
	}
	unkept := again > 0 // training has come further than the last checkpoint of this pass
	keep := func() {
		if unkept && p.keep != nil && p.keep.Due() {
			unkept = false
			p.keep.Keep(distributed.Checkpoint{Place: at, Params: p.net.Params(), Updater: p.net.UpdaterState(),
				Iteration: p.net.Iteration(), Epoch: p.net.Epoch(), Score: p.net.LastScore()})
		}
	}
	for ; most == 0 || trained < most; trained++ {
		if err := context.Cause(ctx); err != nil {
			keep()
			return trained, err
		}
		m, err := ahead.Next()
		if err == io.EOF {
			return trained, nil
		}
		if err != nil {
			return trained, err
		}
		changed, err := p.augment.Apply(m, key)
		if err == nil {
			changed, err = p.weigher.Apply(changed)
		}
		if err != nil {
			return trained, err
		}
		score, err := p.gauge.Fit(p.net, changed, key)
		if err != nil {
			return trained, err
		}
		key.Example += uint64(m.Examples())
		at.Done++
		at.Examples += m.Examples()
		done(step{examples: m.Examples(), minibatches: 1, score: score})
		unkept = true
		keep()
	}
	return trained, nil
}

// skip skips minibatches that were already trained.
func skip(ctx context.Context, it data.Iterator, n int) error {
	for i := range n {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if _, err := it.Next(); err == io.EOF {
			return fmt.Errorf("the data has %d minibatches, and %d were trained of it", i, n)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// minibatches returns the minibatches of a pass, or at least the first most of them if that is not 0. end releases what
// they need, when they are no longer used.
func (p *plain) minibatches(ctx context.Context, pass uint64, most int) (it data.Iterator, end func()) {
	end = func() {}
	if pick := picker(p.source); pick != nil {
		n, seed := p.source.Objects(), paramavg.OrderSeed(p.seed, pass)
		by := stored.Permutation{Seed: &seed, Rows: n, Pieces: []stored.Piece{{To: n}}}
		if most > 0 && most < n/p.batch {
			by.Pieces[0].To = most * p.batch
		}
		all := &permuted{ctx: ctx, of: p.source, pick: pick, batch: p.batch, by: by}
		it, end = all, all.close
	} else {
		it = source.Batches(p.source, p.batch)
	}
	if p.normalizer != nil {
		it = normalized{it, p.normalizer}
	}
	return it, end
}

// picker returns a function that reads single examples of a source in any order; nil if the source has none.
func picker(s source.Source) func(indices []int) (*data.MultiDataSet, error) {
	switch s := s.(type) {
	case source.Table:
		return func(indices []int) (*data.MultiDataSet, error) { return s.Examples(indices), nil }
	case source.Picker:
		return s.Pick
	}
	return nil
}

// normalized applies a normalizer to an iterator's minibatches.
type normalized struct {
	data.Iterator
	by data.Normalizer
}

func (n normalized) Next() (*data.MultiDataSet, error) {
	m, err := n.Iterator.Next()
	if err == nil {
		err = n.by.Transform(m)
	}
	return m, err
}
