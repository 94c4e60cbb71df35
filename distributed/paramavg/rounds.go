package paramavg

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// course is a pass over the data, round by round.
type course struct {
	master *TrainingMaster
	net    *nn.Network
	from   *distributed.Data
	layout Layout
	sizes  [][]int // the examples of each share of each round
	rounds schedule
	left   []engine.Piece    // examples in no round
	place  distributed.Place // where it begins
	listen func(distributed.Round)
}

// runner runs the rounds of a course.
type runner interface {
	// run trains a round from an encoded state. It returns the encoded sum of its shares' results.
	run(ctx context.Context, round int, start []byte) ([]byte, error)
	// close releases its resources. With the cause of an early end, it returns the cause, or a more precise one.
	close(cause error) error
}

// worker returns the configuration of the workers.
func (c *course) worker() workerConfig {
	m := c.master
	return workerConfig{WorkerConfig: m.base.Worker(c.layout.Batch, m.conf.PrefetchNumBatches, c.layout.Seed),
		Epoch: c.layout.Epoch, NetEpoch: c.net.Epoch(), SaveUpdater: m.conf.averagesUpdater(),
		Outer: m.outer != nil, Hooks: m.hooks,
		Iterations: c.listen != nil, Timed: m.pacer != nil}
}

// start encodes the network as a round's start: with an outer optimiser, only the parameters.
func (c *course) start() ([]byte, error) {
	if c.master.outer != nil {
		return initial(c.net.Iteration(), c.net.Params(), nil)
	}
	return initial(c.net.Iteration(), c.net.Params(), c.net.UpdaterState())
}

// settle puts the result of a round into the network.
func (c *course) settle(last *state) error {
	net, outer := c.net, c.master.outer
	if outer != nil {
		outer.begin()
		if err := outer.take(last); err != nil {
			return err
		}
	}
	var updater []float32
	if c.master.conf.averagesUpdater() {
		updater = net.UpdaterState()
	}
	if err := last.mean(net.Params(), updater); err != nil || outer == nil {
		return err
	}
	return outer.end()
}

// train runs the rounds from the given place on. It returns the number of examples, and the sum over the rounds of the
// minibatches of the worker with most. A round begins with the sums of the previous one, which each worker divides for
// itself. The network gets the mean when a checkpoint is due, the last round is done, or a round has failed.
func (c *course) train(ctx context.Context, by runner) (examples, minibatches int, err error) {
	net, m := c.net, c.master
	start, err := c.start()
	if err != nil {
		return 0, 0, err
	}
	var last *state // not yet in the network
	settle := func() error {
		if last == nil {
			return nil
		}
		defer m.base.Times.Begin(stats.MasterProcessParams)(0)
		of := last
		last = nil
		return c.settle(of)
	}
	defer func() {
		err = errors.Join(err, settle())
		if m.outer != nil {
			m.outer.mean(net.UpdaterState())
		}
	}()
	unkept := c.place.Pass>>32 > 0 // training has come further than the last checkpoint of this pass
	keep := func(rounds int) error {
		to := m.base.Checkpoints
		if !unkept || to == nil || !to.Due() {
			return nil
		}
		if err := settle(); err != nil {
			return err
		}
		kept, err := m.checkpoint(net, c.place, rounds, examples)
		if err == nil {
			to.Keep(kept)
			unkept = false
		}
		return err
	}
	for r := c.place.Done; r < len(c.sizes); r++ {
		began := time.Now()
		row, err := c.traced(ctx, by, r, start)
		if err != nil && ctx.Err() != nil {
			err = errors.Join(err, keep(r))
		}
		if err != nil {
			return examples, minibatches, err
		}
		result, err := decodeState(row)
		if err != nil {
			return examples, minibatches, err
		}
		score := result.Score / float64(result.Workers)
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return examples, minibatches, &nn.DivergedError{Iteration: net.Iteration(), Epoch: net.Epoch(), Score: score,
				What: "the workers' mean score is not a finite number"}
		}
		net.SetIteration(result.Iteration)
		net.SetLastScore(score)
		if err := m.base.Times.AddRecord(result.Events); err != nil {
			return examples, minibatches, err
		}
		if m.pacer != nil {
			m.pacer.round(time.Since(began), result.Computing, result.Minibatches)
		}
		last = result
		if start, err = result.begin(row); err != nil {
			return examples, minibatches, err
		}
		if !m.conf.averagesUpdater() {
			if err := settle(); err != nil {
				return examples, minibatches, err
			}
			if start, err = c.start(); err != nil {
				return examples, minibatches, err
			}
		}
		examples += result.Examples
		minibatches += result.Minibatches
		if c.listen != nil {
			slices.SortFunc(result.Iterations, func(a, b distributed.Iteration) int {
				return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Index, b.Index))
			})
			c.listen(distributed.Round{Epoch: net.Epoch(), Index: r, Of: len(c.sizes), Workers: result.Workers,
				Examples: result.Examples, Minibatches: result.Minibatches, Score: score, Duration: time.Since(began),
				Iterations: result.Iterations})
		}
		if unkept = true; r+1 < len(c.sizes) {
			if err := keep(r + 1); err != nil {
				return examples, minibatches, err
			}
		}
	}
	return examples, minibatches, nil
}

// traced runs a round, as a span of the context's trace.
func (c *course) traced(ctx context.Context, by runner, round int, start []byte) (row []byte, err error) {
	ctx, end := tracing.Start(ctx, "round", "round", round+1, "of", len(c.sizes), "workers", len(c.sizes[round]))
	defer func() { end(err) }()
	return by.run(ctx, round, start)
}
