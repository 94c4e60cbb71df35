package masters

import (
	"errors"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// WorkerConfig is the configuration of every worker.
type WorkerConfig struct {
	Network   engine.BroadcastID // for distributed.Replica
	Kernels   string             // instruction set or device: every worker computes with the same
	Host      string             // the instruction set of computations outside the device
	Batch     int
	Prefetch  int    // minibatches prepared in the background
	Seed      uint64 // of the random numbers
	Augment   data.Augmentation
	Weighting data.Weighting
	Stats     bool
	Time      stats.TimeSource
	Looks     distributed.Looks
}

// Worker returns the configuration of the workers, after Prepare.
func (b *Base) Worker(batch, prefetch int, seed uint64) WorkerConfig {
	return WorkerConfig{Network: b.ready.network.ID(), Kernels: b.Kernels, Host: distributed.HostKernels(b.Kernels),
		Batch: batch, Prefetch: prefetch, Seed: seed, Augment: b.Augment, Weighting: b.Weighting, Stats: b.Times != nil,
		Time: b.Time, Looks: b.Looks}
}

// Collector makes the collector of a task's statistics; nil if none are wanted.
func (c WorkerConfig) Collector(t *engine.Task) (*stats.Collector, error) {
	if !c.Stats {
		return nil, nil
	}
	return distributed.Times(t, c.Network, c.Time)
}

// Replica returns the worker's own network.
func (c WorkerConfig) Replica(t *engine.Task) (*nn.Network, error) {
	return distributed.Replica(t, c.Network, c.Kernels, c.Looks)
}

// Changes changes minibatches before training: pictures at random, and weights of examples.
type Changes struct {
	augment *data.Augmenter
	weigher *data.Weigher
}

// Changes makes a worker's Changes.
func (c WorkerConfig) Changes() Changes {
	return Changes{data.NewAugmenter(c.Augment), data.NewWeigher(c.Weighting)}
}

// Apply returns the minibatch with the key as it is trained. Its errors are permanent: another attempt would fail, too.
func (c Changes) Apply(m *data.MultiDataSet, key nn.Key) (*data.MultiDataSet, error) {
	changed, err := c.augment.Apply(m, key)
	if err == nil {
		changed, err = c.weigher.Apply(changed)
	}
	return changed, engine.Permanent(err)
}

// Explain makes errors of a step permanent if another attempt is of no use: it diverged, or its values can't be trained
// on.
func Explain(err error) error {
	var diverged *nn.DivergedError
	var anomaly *nn.AnomalyError
	var values *data.ValueError
	if errors.As(err, &diverged) || errors.As(err, &anomaly) || errors.As(err, &values) {
		return engine.Permanent(err)
	}
	return err
}
