package paramavg

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// jobs runs each round as a job of the engine.
type jobs struct {
	master  *TrainingMaster
	engine  engine.Engine
	network engine.BroadcastID
	shares  *engine.Dataset // a partition for each worker of each round
	layout  Layout
}

// train runs the rounds from the given place on, and tells how many examples were trained. A round begins with the sums
// that the one before gave, which each worker divides for itself; the network gets the mean when a checkpoint is due, the
// last round is done, or one has failed.
func (j *jobs) train(ctx context.Context, net nn.Network, rounds Rounds, a engine.Assignment, from distributed.Place,
	listen func(distributed.Round)) (examples int, err error) {
	start, err := initial(net.Params(), net.UpdaterState())
	if err != nil {
		return 0, err
	}
	var last *state // that the network does not have yet
	settle := func() error {
		if last == nil {
			return nil
		}
		defer j.master.times.Begin(stats.MasterProcessParams)(0)
		var updater []float32
		if j.master.conf.SaveUpdater {
			updater = net.UpdaterState()
		}
		err := last.mean(net.Params(), updater)
		last = nil
		return err
	}
	defer func() { err = errors.Join(err, settle()) }()
	for at, r := rounds.Partition(from.Done), from.Done; r < len(rounds); r++ {
		began := time.Now()
		var positions, partitions []int
		for range rounds[r] {
			position := 0
			if at > 0 {
				position = a.Ends[at-1]
			}
			positions, partitions = append(positions, position), append(partitions, at)
			at++
		}
		row, err := j.run(ctx, net, start, partitions, positions)
		if err != nil {
			return examples, err
		}
		result, err := decodeState(row)
		if err != nil {
			return examples, err
		}
		score := result.Score / float64(result.Workers)
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return examples, &nn.DivergedError{Iteration: net.Iteration(), Epoch: net.Epoch(), Score: score, What: "the workers' mean score is not a finite number"}
		}
		net.SetIteration(net.Iteration() + result.Minibatches)
		net.SetLastScore(score)
		j.master.times.Add(result.Events...)
		last, start = result, row
		if !j.master.conf.SaveUpdater {
			if err := settle(); err != nil {
				return examples, err
			}
			if start, err = initial(net.Params(), net.UpdaterState()); err != nil {
				return examples, err
			}
		}
		examples += result.Examples
		if listen != nil {
			listen(distributed.Round{Epoch: net.Epoch(), Index: r, Of: len(rounds), Workers: result.Workers, Examples: result.Examples,
				Minibatches: result.Minibatches, Score: score, Duration: time.Since(began)})
		}
		if keep := j.master.opts.Checkpoints; keep != nil && r+1 < len(rounds) && keep.Due() {
			if err := settle(); err != nil {
				return examples, err
			}
			keep.Keep(checkpoint(net, from, r+1, examples))
		}
	}
	return examples, nil
}

// run trains the shares in the given partitions, from a start, and gives the sum of the results.
func (j *jobs) run(ctx context.Context, net nn.Network, start []byte, partitions, positions []int) ([]byte, error) {
	m := j.master
	end := m.times.Begin(stats.MasterBroadcast)
	broadcast, err := j.engine.Broadcast(ctx, start)
	if err != nil {
		return nil, err
	}
	defer broadcast.Release()
	end(0)
	defer m.times.Begin(stats.MasterMapPartitions)(0)
	trained := j.shares.Select(partitions...).Map(fit.With(fitConfig{
		Network: j.network, Start: broadcast.ID(), Kernels: m.opts.Kernels, Batch: j.layout.Batch,
		Prefetch: m.conf.PrefetchNumBatches, Seed: j.layout.Seed, Epoch: j.layout.Epoch, Iteration: net.Iteration(),
		NetEpoch: net.Epoch(), Positions: positions, SaveUpdater: m.conf.SaveUpdater, Hooks: m.hooks, Stats: m.times != nil,
	}))
	return trained.Reduce(ctx, average.With(struct{}{}), m.conf.AggregationDepth)
}
