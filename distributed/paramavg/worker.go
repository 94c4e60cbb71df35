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

// fitConfig is what a worker needs to know to train its share of a round.
type fitConfig struct {
	Network  engine.BroadcastID // distributed.Replica makes a network of it
	Start    engine.BroadcastID // a state
	Kernels  string             // their instruction set: every worker computes with the same ones
	Batch    int
	Prefetch int
	Seed     uint64
	Epoch    uint64 // of the permutation and the random numbers
	// Iteration and NetEpoch are the network's counts at the beginning of the round.
	Iteration, NetEpoch int
	// Positions holds, for each partition, the place of its first example in the epoch's order.
	Positions []int
	// SaveUpdater: the updater state goes back to the master too.
	SaveUpdater bool
	Hooks       []HookStep
	Stats       bool
}

// fit trains a replica on the partition's examples and gives back one row: its state. An empty partition gives none.
var fit = engine.Register("paramavg.fit", func(t *engine.Task, conf fitConfig, in engine.Rows, out engine.Writer) error {
	var times *stats.Collector
	if conf.Stats {
		times = stats.New(fmt.Sprintf("partition %d", t.Partition))
	}
	total := times.Begin(stats.WorkerTotal)
	batches := distributed.Minibatches(in, conf.Batch)
	first, err := batches.Next()
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	endModel := times.Begin(stats.WorkerInitialModel)
	net, trained, err := replica(t, conf, times)
	if err != nil {
		return err
	}
	endModel(0)
	hooks, err := makeHooks(conf.Hooks)
	if err != nil {
		return engine.Permanent(err)
	}
	if conf.Prefetch > 0 {
		ahead := data.Prefetch(batches, conf.Prefetch)
		defer ahead.Close()
		batches = ahead
	}
	w := worker{task: t, conf: conf, net: net, hooks: hooks, times: times}
	for m := first; ; {
		if err := w.minibatch(m); err != nil {
			return w.explain(err)
		}
		end := times.Begin(stats.WorkerDataSet)
		m, err = batches.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		end(m.Examples())
	}
	if err := net.CheckParams(); err != nil {
		return engine.Permanent(err)
	}
	total(w.examples)
	result := state{Workers: 1, Minibatches: w.minibatches, Examples: w.examples, Score: w.score, Events: times.Events(),
		Params: net.NumParams(), Updater: len(trained) - net.NumParams(), vectors: trained}
	b, err := result.row()
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(b))
})

// replica gives this worker's network, as it is at the beginning of the round, and the memory in which it trains what
// goes back to the master: the parameters and, if they do, the updater state behind them.
func replica(t *engine.Task, conf fitConfig, times *stats.Collector) (nn.Network, []float32, error) {
	end := times.Begin(stats.WorkerBroadcastGet)
	b, err := t.Broadcast(conf.Start)
	if err != nil {
		return nil, nil, err
	}
	end(0)
	start, err := decodeState(b)
	if err != nil {
		return nil, nil, engine.Permanent(err)
	}
	end = times.Begin(stats.WorkerInit)
	net, err := distributed.Replica(t, conf.Network, conf.Kernels)
	if err != nil {
		return nil, nil, err
	}
	n := net.NumParams()
	updater := net.UpdaterState()
	trained := vectors(n)
	if conf.SaveUpdater {
		trained = vectors(n + net.NumStates())
		updater = trained[n:len(trained):len(trained)]
	}
	params := trained[:n:n]
	if err := start.mean(params, updater); err != nil {
		return nil, nil, engine.Permanent(err)
	}
	if err := net.Adopt(params, updater); err != nil {
		return nil, nil, engine.Permanent(err)
	}
	net.SetIteration(conf.Iteration)
	net.SetEpoch(conf.NetEpoch)
	end(0)
	return net, trained, nil
}

// worker is one task's way through its minibatches.
type worker struct {
	task                  *engine.Task
	conf                  fitConfig
	net                   nn.Network
	hooks                 []Hook
	times                 *stats.Collector
	minibatches, examples int
	score                 float64
}

func (w *worker) minibatch(m *data.MultiDataSet) error {
	if err := w.task.Context().Err(); err != nil {
		return err
	}
	if w.minibatches == 0 {
		if err := w.net.Check(m); err != nil {
			return engine.Permanent(err)
		}
	}
	end := w.times.Begin(stats.WorkerProcessMinibatch)
	for _, h := range w.hooks {
		if err := h.PreUpdate(w.net, m); err != nil {
			return fmt.Errorf("training hook before the minibatch: %w", err)
		}
	}
	endFit := w.times.Begin(stats.WorkerFit)
	key := nn.Key{Seed: w.conf.Seed, Epoch: w.conf.Epoch, Example: uint64(w.conf.Positions[w.task.Partition] + w.examples)}
	score, err := w.net.Fit(m, key)
	if err != nil {
		return err
	}
	endFit(m.Examples())
	for _, h := range w.hooks {
		if err := h.PostUpdate(w.net, m); err != nil {
			return fmt.Errorf("training hook after the minibatch: %w", err)
		}
	}
	end(m.Examples())
	w.score = score
	w.minibatches++
	w.examples += m.Examples()
	return nil
}

// explain says at which minibatch of the share an error came, and that another attempt at a diverged one is of no use.
func (w *worker) explain(err error) error {
	var diverged *nn.DivergedError
	var values *data.ValueError
	if errors.As(err, &diverged) || errors.As(err, &values) {
		err = engine.Permanent(err)
	}
	return fmt.Errorf("minibatch %d of the worker's share: %w", w.minibatches, err)
}

// average adds the workers' states up; the driver divides.
var average = engine.Register("paramavg.add", func(t *engine.Task, _ struct{}, in engine.Rows, out engine.Writer) error {
	var total sum
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		s, err := decodeState(row.Bytes)
		if err != nil {
			return engine.Permanent(err)
		}
		if err := total.add(s); err != nil {
			return engine.Permanent(err)
		}
	}
	b, err := total.row()
	if err != nil {
		return engine.Permanent(err)
	}
	return out.Write(engine.Unindexed(b))
})
