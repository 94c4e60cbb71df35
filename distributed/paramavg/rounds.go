package paramavg

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/dl4go/dl4go/distributed"
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
	rounds Rounds
	left   []int64           // examples that are in no round
	place  distributed.Place // where it begins
	listen func(distributed.Round)
}

// runner runs the rounds of a course.
type runner interface {
	// run trains a round from a state in bytes. It gives the sum of what its shares come to.
	run(ctx context.Context, round int, start []byte) ([]byte, error)
	// close releases what it holds. With the cause of an early end, it gives the cause, or what it knows better.
	close(cause error) error
}

// worker is the configuration of the workers.
func (c *course) worker() workerConfig {
	m := c.master
	return workerConfig{WorkerConfig: m.base.Worker(c.layout.Batch, m.conf.PrefetchNumBatches, c.layout.Seed),
		Epoch: c.layout.Epoch, NetEpoch: c.net.Epoch(), SaveUpdater: m.conf.averagesUpdater(),
		Outer: m.outer != nil, Hooks: m.hooks,
		Iterations: c.listen != nil, Timed: m.pacer != nil}
}

// start is a round's start, from the network: with an outer optimiser, the parameters alone.
func (c *course) start() ([]byte, error) {
	if c.master.outer != nil {
		return initial(c.net.Iteration(), c.net.Params(), nil)
	}
	return initial(c.net.Iteration(), c.net.Params(), c.net.UpdaterState())
}

// settle gives the network what a round came to.
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

// train runs the rounds from the given place on, and tells how many examples were trained, and minibatches by the
// worker with most in each round. A round begins with the sums that the one before gave, which each worker divides for
// itself; the network gets the mean when a checkpoint is due, the last round is done, or one has failed.
func (c *course) train(ctx context.Context, by runner) (examples, minibatches int, err error) {
	net, m := c.net, c.master
	start, err := c.start()
	if err != nil {
		return 0, 0, err
	}
	var last *state // that the network does not have yet
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
	for r := c.place.Done; r < len(c.rounds); r++ {
		began := time.Now()
		row, err := c.traced(ctx, by, r, start)
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
			c.listen(distributed.Round{Epoch: net.Epoch(), Index: r, Of: len(c.rounds), Workers: result.Workers,
				Examples: result.Examples, Minibatches: result.Minibatches, Score: score, Duration: time.Since(began),
				Iterations: result.Iterations})
		}
		if keep := m.base.Checkpoints; keep != nil && r+1 < len(c.rounds) && keep.Due() {
			if err := settle(); err != nil {
				return examples, minibatches, err
			}
			kept, err := m.checkpoint(net, c.place, r+1, examples)
			if err != nil {
				return examples, minibatches, err
			}
			keep.Keep(kept)
		}
	}
	return examples, minibatches, nil
}

// traced runs a round, as a span of the context's trace.
func (c *course) traced(ctx context.Context, by runner, round int, start []byte) (row []byte, err error) {
	ctx, end := tracing.Start(ctx, "round", "round", round+1, "of", len(c.rounds), "workers", len(c.rounds[round]))
	defer func() { end(err) }()
	return by.run(ctx, round, start)
}
