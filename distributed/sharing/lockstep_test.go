package sharing

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/threshold"
)

// lockstep runs the workers of a fit in one goroutine, in turns. The order never changes, so the result has the same
// bits each time.
type lockstep struct {
	t        *testing.T
	replicas []*replica
	epoch    uint32
}

// newLockstep distributes examples over replicas of a network.
func newLockstep(t *testing.T, net *nn.MultiLayer, examples []*data.MultiDataSet, workers int, c Config,
	o threshold.Options) *lockstep {
	t.Helper()
	l := &lockstep{t: t}
	starts := []int{0}
	for w := range workers {
		var rows []engine.Row
		for _, m := range examples[len(examples)*w/workers : len(examples)*(w+1)/workers] {
			rows = append(rows, engine.Unindexed(data.AppendRow(nil, m)))
		}
		kept, err := resident.Keep(engine.SliceRows(rows))
		if err != nil {
			t.Fatal(err)
		}
		starts = append(starts, starts[w]+len(rows))
		own := net.Copy()
		coder := threshold.NewCoder(1)
		if _, ours := c.algorithm().(threshold.Largest); ours {
			o.Mean, o.Powers, o.Layers = true, true, sections(own, LayerThresholds)
		}
		encoder, err := threshold.NewEncoder(coder, net.NumParams(), c.algorithm(), c.ResidualPostProcessor, o)
		if err != nil {
			t.Fatal(err)
		}
		r := &replica{task: &engine.Task{}, parameters: parameters{net: own, coder: coder, statistics: statistics(own)},
			encoder: encoder,
			writer:  writer{coder: coder}, end: func(int) {},
			traffic: func() (uint64, uint64) { return 0, 0 },
			feeders: map[uint32]*feeder{uint32(w): {rows: kept, batch: c.Minibatch(),
				seed: random.Mix(uint64(c.RNGSeed), uint64(w)+1), spent: distributed.NewSpent("", 0)}}}
		r.conf = workerConfig{WorkerConfig: masters.WorkerConfig{Batch: c.Minibatch(), Seed: uint64(c.RNGSeed)}, Scale: 1}
		l.replicas = append(l.replicas, r)
		t.Cleanup(func() { r.close(); own.Close(); kept.Close() })
	}
	for _, r := range l.replicas {
		r.conf.Starts, r.conf.Iterations = starts, int(l.replicas[0].feeders[0].minibatches())
	}
	return l
}

// fit trains an epoch.
func (l *lockstep) fit() {
	l.t.Helper()
	for o := range l.replicas[0].feeders[0].minibatches() {
		var all []*coordination.Entry
		for w, r := range l.replicas {
			out := r.step(coordination.Train{Epoch: l.epoch, Partition: uint32(w), Ordinal: uint32(o)})
			if out.Err != nil {
				l.t.Fatal(out.Err)
			}
			e := &coordination.Entry{Kind: coordination.UpdateEntry, Payload: slices.Clone(out.Payload)}
			r.payload = nil
			all = append(all, e)
		}
		for w, r := range l.replicas {
			for from, e := range all {
				if from != w {
					if err := r.Apply(e); err != nil {
						l.t.Fatal(err)
					}
				}
			}
		}
	}
	l.epoch++
}

// report returns the sum of the workers' reports, which drop their residuals.
func (l *lockstep) report() report {
	l.t.Helper()
	var parts [][]byte
	for _, r := range l.replicas {
		b, err := r.Report(false, nil)
		if err != nil {
			l.t.Fatal(err)
		}
		parts = append(parts, b)
	}
	b, err := sum(parts)
	if err != nil {
		l.t.Fatal(err)
	}
	all, err := unpackReport(b)
	if err != nil {
		l.t.Fatal(err)
	}
	return all
}
