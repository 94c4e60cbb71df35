package paramavg

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/dl4go/dl4go/distributed"
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
		Epoch: c.layout.Epoch, NetEpoch: c.net.Epoch(), SaveUpdater: m.conf.SaveUpdater, Hooks: m.hooks,
		Iterations: c.listen != nil}
}

// train runs the rounds from the given place on, and tells how many examples were trained, and minibatches by the
// worker with most in each round. A round begins with the sums that the one before gave, which each worker divides for
// itself; the network gets the mean when a checkpoint is due, the last round is done, or one has failed.
func (c *course) train(ctx context.Context, by runner) (examples, minibatches int, err error) {
	net, m := c.net, c.master
	start, err := initial(net.Iteration(), net.Params(), net.UpdaterState())
	if err != nil {
		return 0, 0, err
	}
	var last *state // that the network does not have yet
	settle := func() error {
		if last == nil {
			return nil
		}
		defer m.base.Times.Begin(stats.MasterProcessParams)(0)
		var updater []float32
		if m.conf.SaveUpdater {
			updater = net.UpdaterState()
		}
		err := last.mean(net.Params(), updater)
		last = nil
		return err
	}
	defer func() { err = errors.Join(err, settle()) }()
	for r := c.place.Done; r < len(c.rounds); r++ {
		began := time.Now()
		row, err := by.run(ctx, r, start)
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
		last = result
		if start, err = result.begin(row); err != nil {
			return examples, minibatches, err
		}
		if !m.conf.SaveUpdater {
			if err := settle(); err != nil {
				return examples, minibatches, err
			}
			if start, err = initial(net.Iteration(), net.Params(), net.UpdaterState()); err != nil {
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
			keep.Keep(checkpoint(net, c.place, r+1, examples))
		}
	}
	return examples, minibatches, nil
}
