package paramavg

import (
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// shareConfig is what a worker needs to know to train its shares of rounds, whichever way rounds are run.
type shareConfig struct {
	Network  engine.BroadcastID // distributed.Replica makes a network of it
	Kernels  string             // their instruction set: every worker computes with the same ones
	Batch    int
	Prefetch int
	Seed     uint64
	Epoch    uint64 // of the permutation and the random numbers
	NetEpoch int    // the network's count
	// SaveUpdater: the updater state goes back to the master too.
	SaveUpdater bool
	Hooks       []HookStep
	Augment     data.Augmentation
	Weighting   data.Weighting
	Iterations  bool // are told to a listener
	Stats       bool
	Time        stats.TimeSource
}

// share is one worker's part of a round.
type share struct {
	task     *engine.Task
	conf     shareConfig
	worker   int // of the round's
	position int // of the share's first example in the epoch's order
	times    *stats.Collector
	total    func(examples int) // ends its time

	net                   *nn.Network
	hooks                 []Hook
	augment               *data.Augmenter
	weigher               *data.Weigher
	minibatches, examples int
	score                 float64
	iterations            []distributed.Iteration
}

// newShare begins the account of a share's time.
func newShare(t *engine.Task, conf shareConfig, worker, position int) (s *share, err error) {
	s = &share{task: t, conf: conf, worker: worker, position: position, augment: data.NewAugmenter(conf.Augment),
		weigher: data.NewWeigher(conf.Weighting)}
	if conf.Stats {
		if s.times, err = distributed.Times(t, conf.Network, conf.Time); err != nil {
			return nil, err
		}
	}
	s.total = s.times.Begin(stats.WorkerTotal)
	return s, nil
}

// train trains a replica on the minibatches, of which the first is given, and gives the state in bytes that it comes
// to. begin gives the state that it begins with.
func (s *share) train(begin func() ([]byte, error), first *data.MultiDataSet, batches data.Iterator) ([]byte, error) {
	endModel := s.times.Begin(stats.WorkerInitialModel)
	trained, err := s.replica(begin)
	if err != nil {
		return nil, err
	}
	endModel(0)
	if s.hooks, err = makeHooks(s.conf.Hooks); err != nil {
		return nil, engine.Permanent(err)
	}
	if s.conf.Prefetch > 0 {
		ahead := data.Prefetch(batches, s.conf.Prefetch)
		defer ahead.Close()
		batches = ahead
	}
	for m := first; ; {
		if err := s.minibatch(m); err != nil {
			return nil, s.explain(err)
		}
		if m, err = s.next(batches); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := s.net.CheckParams(); err != nil {
		return nil, engine.Permanent(err)
	}
	s.total(s.examples)
	s.times.Tell(s.task.Log)
	result := state{Workers: 1, Iteration: s.net.Iteration(), Minibatches: s.minibatches, Examples: s.examples, Score: s.score, Events: s.times.Record(), Iterations: s.iterations,
		Params: s.net.NumParams(), Updater: len(trained) - s.net.NumParams(), vectors: trained}
	b, err := result.row()
	return b, engine.Permanent(err)
}

// next waits for a minibatch.
func (s *share) next(batches data.Iterator) (*data.MultiDataSet, error) {
	end := s.times.Begin(stats.WorkerDataSet)
	m, err := batches.Next()
	if err == nil {
		end(m.Examples())
	}
	return m, err
}

// replica makes this worker's network what it is at the beginning of the round, and gives the memory in which it trains
// what goes back to the master: the parameters and, if they do, the updater state behind them.
func (s *share) replica(begin func() ([]byte, error)) ([]float32, error) {
	end := s.times.Begin(stats.WorkerBroadcastGet)
	b, err := begin()
	if err != nil {
		return nil, err
	}
	end(0)
	start, err := decodeState(b)
	if err != nil {
		return nil, engine.Permanent(err)
	}
	end = s.times.Begin(stats.WorkerInit)
	net, err := distributed.Replica(s.task, s.conf.Network, s.conf.Kernels)
	if err != nil {
		return nil, err
	}
	n := net.NumParams()
	updater := net.UpdaterState()
	told := s.conf.Stats || s.conf.Iterations
	trained := vectors(n, told)
	if s.conf.SaveUpdater {
		trained = vectors(n+net.NumStates(), told)
		updater = trained[n:len(trained):len(trained)]
	}
	params := trained[:n:n]
	if err := start.mean(params, updater); err != nil {
		return nil, engine.Permanent(err)
	}
	if err := net.Adopt(params, updater); err != nil {
		return nil, engine.Permanent(err)
	}
	net.SetIteration(start.Iteration)
	net.SetEpoch(s.conf.NetEpoch)
	s.net = net
	end(0)
	return trained, nil
}

func (s *share) minibatch(m *data.MultiDataSet) error {
	if err := s.task.Context().Err(); err != nil {
		return err
	}
	if s.minibatches == 0 {
		if err := s.net.Check(m); err != nil {
			return engine.Permanent(err)
		}
	}
	end := s.times.Begin(stats.WorkerProcessMinibatch)
	for _, h := range s.hooks {
		if err := h.PreUpdate(s.net, m); err != nil {
			return fmt.Errorf("training hook before the minibatch: %w", err)
		}
	}
	endFit := s.times.Begin(stats.WorkerFit)
	key := nn.Key{Seed: s.conf.Seed, Epoch: s.conf.Epoch, Example: uint64(s.position + s.examples)}
	changed, err := s.augment.Apply(m, key)
	if err == nil {
		changed, err = s.weigher.Apply(changed)
	}
	if err != nil {
		return engine.Permanent(err)
	}
	score, err := s.net.Fit(changed, key)
	if err != nil {
		return err
	}
	endFit(m.Examples())
	for _, h := range s.hooks {
		if err := h.PostUpdate(s.net, m); err != nil {
			return fmt.Errorf("training hook after the minibatch: %w", err)
		}
	}
	end(m.Examples())
	s.score = score
	if s.conf.Iterations {
		s.iterations = append(s.iterations, distributed.Iteration{Worker: s.worker, Index: s.minibatches, Examples: m.Examples(), Score: score})
	}
	s.minibatches++
	s.examples += m.Examples()
	return nil
}

// explain says at which minibatch of the share an error came, and that another attempt at a diverged one is of no use.
func (s *share) explain(err error) error {
	var diverged *nn.DivergedError
	var values *data.ValueError
	if errors.As(err, &diverged) || errors.As(err, &values) {
		err = engine.Permanent(err)
	}
	return fmt.Errorf("minibatch %d of the worker's share: %w", s.minibatches, err)
}
