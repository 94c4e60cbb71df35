package paramavg

import (
	"fmt"
	"io"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// workerConfig is the configuration with which a worker trains its portions of rounds, in jobs or as a resident worker.
type workerConfig struct {
	masters.WorkerConfig
	Epoch    uint64 // of the permutation and the random numbers
	NetEpoch int    // the network's epoch count
	// SaveUpdater: the updater state also goes back to the master, and is averaged. Outer: it is the worker's own, and
	// the master only keeps it.
	SaveUpdater, Outer bool
	Hooks              []HookStep
	Iterations         bool // report them for a listener
	Timed              bool // report the computing time
}

// portion is one worker's part of a round.
type portion struct {
	task     *engine.Task
	conf     workerConfig
	worker   int // the worker's number in the round
	position int // of the portion's first example in the epoch's order
	times    *stats.Collector
	gauge    *distributed.Gauge
	total    func(examples int) // ends the phase of its total time
	changes  masters.Changes
	spent    distributed.Spent
	room     func(n int, events bool) []float32 // makes room for the result
	own      []float32                          // the initial updater state with an outer optimiser; read only

	net                   *nn.Network
	trained               []float32 // the memory that goes back to the master
	hooks                 []Hook
	minibatches, examples int
	score                 float64
	iterations            []distributed.Iteration
}

// newPortion begins a portion and its statistics of time.
func newPortion(t *engine.Task, conf workerConfig, worker, position int) (p *portion, err error) {
	p = &portion{task: t, conf: conf, worker: worker, position: position, changes: conf.Changes()}
	if p.times, err = conf.Collector(t); err != nil {
		return nil, err
	}
	p.gauge = distributed.NewGauge(p.times)
	p.total = p.times.Begin(stats.WorkerTotal)
	return p, nil
}

// train trains a replica on the minibatches, beginning with first, and returns the final state, as bytes. begin returns
// the initial state.
func (p *portion) train(begin func() (*state, error), first *data.MultiDataSet, batches data.Iterator) ([]byte, error) {
	endModel := p.times.Begin(stats.WorkerInitialModel)
	if err := p.replica(begin); err != nil {
		return nil, err
	}
	endModel(0)
	var err error
	if p.hooks, err = makeHooks(p.conf.Hooks); err != nil {
		return nil, engine.Permanent(err)
	}
	began := time.Now()
	for m := first; ; {
		if err := p.minibatch(m); err != nil {
			return nil, p.explain(err)
		}
		if m, err = p.next(batches); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
	}
	if err := p.net.CheckParams(); err != nil {
		return nil, engine.Permanent(err)
	}
	p.net.UpdaterState() // copies it from a device to the adopted vectors
	computing := time.Since(began)
	p.total(p.examples)
	p.times.AddCosts(p.net.Profile().Take()...)
	p.times.Tell(p.task.Log)
	p.gauge.Ended(p.net, p.task.Attempt)
	result := state{Workers: 1, Iteration: p.net.Iteration(), Minibatches: p.minibatches, Examples: p.examples,
		Score: p.score, Events: p.times.Record(), Iterations: p.iterations,
		Params: p.net.NumParams(), Updater: len(p.trained) - p.net.NumParams(), vectors: p.trained}
	if p.conf.Timed {
		result.Computing = computing
	}
	if p.conf.Outer && result.Updater > 0 {
		result.Updater, result.Places, result.Each = 0, []int{p.worker}, result.Updater
	}
	b, err := result.row()
	return b, engine.Permanent(err)
}

// next waits for a minibatch.
func (p *portion) next(batches data.Iterator) (*data.MultiDataSet, error) {
	end := p.times.Begin(stats.WorkerDataSet)
	m, err := batches.Next()
	if err == nil {
		end(m.Examples())
	}
	return m, err
}

// replica sets this worker's network to the round's start, in the memory that goes back to the master: the parameters
// and, if the master wants it, the updater state after them.
func (p *portion) replica(begin func() (*state, error)) error {
	end := p.times.Begin(stats.WorkerBroadcastGet)
	start, err := begin()
	if err != nil {
		return err
	}
	end(0)
	end = p.times.Begin(stats.WorkerInit)
	net, err := p.conf.Replica(p.task)
	if err != nil {
		return err
	}
	n := net.NumParams()
	updater := net.UpdaterState()
	told := p.conf.Stats || p.conf.Iterations
	sent := p.conf.SaveUpdater || p.conf.Outer
	size := n
	if sent {
		size += net.NumStates()
	}
	p.trained = p.room(size, told)
	if sent {
		updater = p.trained[n:size:size]
	}
	params := p.trained[:n:n]
	// The network may have the same memory from an earlier round. A device would write to it here, but not afterwards.
	if err := net.Adopt(params, updater); err != nil {
		return engine.Permanent(err)
	}
	averaged := updater
	if p.conf.Outer {
		averaged = nil
		if copy(updater, p.own) != len(updater) {
			return engine.Permanent(fmt.Errorf("a worker's own updater state has %d values, the network's %d", len(p.own),
				len(updater)))
		}
	}
	if err := start.mean(params, averaged); err != nil {
		return engine.Permanent(err)
	}
	net.SetIteration(start.Iteration)
	net.SetEpoch(p.conf.NetEpoch)
	p.net = net
	end(0)
	return nil
}

func (p *portion) minibatch(m *data.MultiDataSet) error {
	if err := p.task.Context().Err(); err != nil {
		return err
	}
	if p.minibatches == 0 {
		if err := p.net.Check(m); err != nil {
			return engine.Permanent(err)
		}
	}
	end := p.times.Begin(stats.WorkerProcessMinibatch)
	for _, h := range p.hooks {
		if err := h.PreUpdate(p.net, m); err != nil {
			return fmt.Errorf("training hook before the minibatch: %w", err)
		}
	}
	endFit := p.times.Begin(stats.WorkerFit)
	key := nn.Key{Seed: p.conf.Seed, Epoch: p.conf.Epoch, Example: uint64(p.position + p.examples)}
	changed, err := p.changes.Apply(m, key)
	if err != nil {
		return err
	}
	score, err := p.gauge.Fit(p.net, changed, key)
	if err != nil {
		return err
	}
	endFit(m.Examples())
	for _, h := range p.hooks {
		if err := h.PostUpdate(p.net, m); err != nil {
			return fmt.Errorf("training hook after the minibatch: %w", err)
		}
	}
	end(m.Examples())
	p.score = score
	if p.conf.Iterations {
		p.iterations = append(p.iterations,
			distributed.Iteration{Worker: p.worker, Index: p.minibatches, Examples: m.Examples(), Score: score})
	}
	p.minibatches++
	p.examples += m.Examples()
	if len(p.hooks) == 0 { // a hook may keep a minibatch
		p.spent.Give(m)
	}
	return nil
}

// explain adds the number of the minibatch to an error.
func (p *portion) explain(err error) error {
	return fmt.Errorf("minibatch %d of the worker's share: %w", p.minibatches, masters.Explain(err))
}
