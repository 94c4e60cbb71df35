package train

import (
	"context"
	"errors"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// trainer is a way of training a network. If it fails, the network is that after the last complete step.
type trainer interface {
	// epoch trains on every example once, and counts the epoch.
	epoch(ctx context.Context, done func(step)) error
	// iterations trains n more minibatches (of each worker), starting over at the end of the data, and counts no
	// epoch. A minibatch counts once, even if it is several of the network's iterations.
	iterations(ctx context.Context, n int, done func(step)) error
	// resume makes the next epoch, or the next iterations, begin where they were interrupted.
	resume(distributed.Place)
	// state returns the training master's state that is not in the network between two epochs; nil: there is none.
	state() ([]byte, error)
	close() error
}

// step is a complete part of training: a minibatch, a round of parameter averaging, or some shared updates.
type step struct {
	examples    int
	minibatches int // of the worker with the most; in gradient sharing, of all workers
	score       float64
	workers     int               // that train; 0 for plain training
	sharing     *sharing.Progress // of gradient sharing
	iterations  []distributed.Iteration
}

// averaging trains by parameter averaging.
type averaging struct {
	net    *nn.Network
	master *paramavg.TrainingMaster
	data   *distributed.Data
	rounds [][]int // of an epoch: the number of examples of each worker
}

func heard(done func(step)) func(distributed.Round) {
	return func(r distributed.Round) {
		done(step{examples: r.Examples, minibatches: r.Minibatches, score: r.Score, workers: r.Workers,
			iterations: r.Iterations})
	}
}

func (a *averaging) epoch(ctx context.Context, done func(step)) error {
	return a.master.Fit(ctx, a.net, a.data, heard(done))
}

func (a *averaging) iterations(ctx context.Context, n int, done func(step)) error {
	return a.master.FitIterations(ctx, a.net, a.data, n, heard(done))
}

func (a *averaging) resume(at distributed.Place) { a.master.Resume(at) }

func (a *averaging) state() ([]byte, error) { return a.master.State() }

func (a *averaging) close() error { return a.master.Close() }

func (a *averaging) stats() *stats.Collector { return a.master.Stats() }

// sharer trains by gradient sharing.
type sharer struct {
	net     *nn.Network
	master  *sharing.TrainingMaster
	data    *distributed.Data
	workers int
	last    sharing.Progress
}

func (s *sharer) epoch(ctx context.Context, done func(step)) error {
	return s.master.Fit(ctx, s.net, s.data, func(r distributed.Round) {
		p := s.last
		done(step{examples: r.Examples, minibatches: r.Minibatches, score: r.Score, workers: r.Workers,
			sharing: &p, iterations: r.Iterations})
	})
}

func (s *sharer) iterations(context.Context, int, func(step)) error {
	return errors.New("gradient sharing trains whole epochs")
}

func (s *sharer) resume(at distributed.Place) { s.master.Resume(at) }

func (s *sharer) state() ([]byte, error) { return s.master.State() }

func (s *sharer) close() error { return s.master.Close() }

func (s *sharer) stats() *stats.Collector { return s.master.Stats() }
