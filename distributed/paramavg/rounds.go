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

	results *results // of train, once it has begun
}

// runner runs the rounds of a course.
type runner interface {
	// run trains a round from an encoded state; nil stands for the result of the round before. It returns the encoded
	// sum of its shares' results. Without whole, the result may lack its vectors.
	run(ctx context.Context, round int, start []byte, whole bool) ([]byte, error)
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
// itself. The network gets the mean when a checkpoint is due, the last round is done, or a round has failed: then it is
// as after the last round whose whole result came.
func (c *course) train(ctx context.Context, by runner) (examples, minibatches int, err error) {
	net, m := c.net, c.master
	start, err := c.start()
	if err != nil {
		return 0, 0, err
	}
	r := &results{course: c, iteration: net.Iteration(), score: net.LastScore(), at: time.Now(), done: c.place.Done,
		unkept: c.place.Pass>>32 > 0}
	c.results = r
	defer func() {
		err = errors.Join(err, r.settle())
		if err != nil {
			net.SetIteration(r.iteration)
			net.SetLastScore(r.score)
		}
		if m.outer != nil {
			m.outer.mean(net.UpdaterState())
		}
	}()
	for round := c.place.Done; round < len(c.sizes); round++ {
		began := time.Now()
		last := round+1 == len(c.sizes)
		row, err := c.traced(ctx, by, round, start, last || r.wanted())
		if err != nil {
			return examples, minibatches, err
		}
		result, err := decodeState(row)
		if err != nil {
			return examples, minibatches, err
		}
		if err := c.record(result, time.Since(began)); err != nil {
			return examples, minibatches, err
		}
		examples += result.Examples
		minibatches += result.Minibatches
		if start, err = r.take(result, row, round+1, examples); err != nil {
			return examples, minibatches, err
		}
		c.report(round, result, time.Since(began))
		if !last {
			if err := r.keep(); err != nil {
				return examples, minibatches, err
			}
		}
	}
	return examples, minibatches, nil
}

// record checks the score of a round, and adds the round to the network's counts and the statistics.
func (c *course) record(result *state, took time.Duration) error {
	net, m := c.net, c.master
	score := result.Score / float64(result.Workers)
	if math.IsNaN(score) || math.IsInf(score, 0) {
		return &nn.DivergedError{Iteration: net.Iteration(), Epoch: net.Epoch(), Score: score,
			What: "the workers' mean score is not a finite number"}
	}
	net.SetIteration(result.Iteration)
	net.SetLastScore(score)
	if m.pacer != nil {
		m.pacer.round(took, result.Computing, result.Minibatches)
	}
	return m.base.Times.AddRecord(result.Events)
}

// report tells the listener a round.
func (c *course) report(round int, result *state, took time.Duration) {
	if c.listen == nil {
		return
	}
	slices.SortFunc(result.Iterations, func(a, b distributed.Iteration) int {
		return cmp.Or(cmp.Compare(a.Worker, b.Worker), cmp.Compare(a.Index, b.Index))
	})
	c.listen(distributed.Round{Epoch: c.net.Epoch(), Index: round, Of: len(c.sizes), Workers: result.Workers,
		Examples: result.Examples, Minibatches: result.Minibatches, Score: c.net.LastScore(), Duration: took,
		Iterations: result.Iterations})
}

// traced runs a round, as a span of the context's trace.
func (c *course) traced(ctx context.Context, by runner, round int, start []byte, whole bool) (row []byte, err error) {
	ctx, end := tracing.Start(ctx, "round", "round", round+1, "of", len(c.sizes), "workers", len(c.sizes[round]))
	defer func() { end(err) }()
	return by.run(ctx, round, start, whole)
}
