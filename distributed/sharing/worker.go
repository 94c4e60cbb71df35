package sharing

import (
	"errors"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/resident"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/threshold"
)

// workerConfig is what a worker needs to know.
type workerConfig struct {
	Network       engine.BroadcastID // distributed.Replica makes a network of it
	Access        engine.BroadcastID // to the others
	Kernels       string             // their instruction set: every worker computes with the same ones
	Batch         int
	Prefetch      int
	Seed          uint64
	Starts        []int  // the place of each partition's first example in the order of an epoch
	Algorithm     string // JSON of a threshold.Algorithm
	PostProcessor string // of a threshold.PostProcessor
	EncodingDebug bool
	Longer        time.Duration // each step
	Stats         bool
	Time          stats.TimeSource
}

// worker keeps the partition's rows, and trains on them until the coordinator lets it go. It gives no rows.
var worker = engine.Register("sharing.worker", func(t *engine.Task, conf workerConfig, in engine.Rows, _ engine.Writer) error {
	r, err := newReplica(t, conf)
	if err != nil {
		return err
	}
	defer r.close()
	r.end = r.times.Begin(stats.WorkerTotal)
	end := r.times.Begin(stats.WorkerDataSet)
	if r.rows.rows, err = resident.Keep(in); err != nil {
		return err
	}
	end(0) // minibatches count the examples
	defer r.rows.rows.Close()
	if r.rows.rows.Len() == 0 {
		return engine.Permanent(errors.New("the worker's partition has no examples"))
	}
	w := resident.Worker{Access: conf.Access, Replica: r, Train: r.step,
		Shares: []gradshare.Share{{Partition: uint32(t.Partition), Minibatches: uint32(r.rows.minibatches())}}}
	r.traffic = w.Traffic
	err = w.Serve(t)
	if r.failed != nil {
		return r.failed
	}
	return err
})

// newReplica makes the worker's network and encoder.
func newReplica(t *engine.Task, conf workerConfig) (*replica, error) {
	r := &replica{task: t, conf: conf}
	var err error
	if conf.Stats {
		if r.times, err = distributed.Times(t, conf.Network, conf.Time); err != nil {
			return nil, err
		}
	}
	defer r.times.Begin(stats.WorkerInitialModel)(0)
	if r.net, err = distributed.Replica(t, conf.Network, conf.Kernels); err != nil {
		return nil, err
	}
	r.statistics = statistics(r.net)
	var algorithm threshold.Algorithm
	var post threshold.PostProcessor
	if err := dl4j.Unmarshal([]byte(conf.Algorithm), &algorithm); err != nil {
		return nil, engine.Permanent(err)
	}
	if err := dl4j.Unmarshal([]byte(conf.PostProcessor), &post); err != nil {
		return nil, engine.Permanent(err)
	}
	variant, err := kernel.Parse(conf.Kernels)
	if err != nil {
		return nil, engine.Permanent(err)
	}
	if t.Threads > 1 {
		r.pool = parallel.New(t.Threads)
	}
	r.coder = threshold.NewCoderFor(r.pool, variant)
	r.encoder, err = threshold.NewEncoder(r.coder, r.net.NumParams(), algorithm, post, threshold.Options{})
	if err != nil {
		r.close()
		return nil, engine.Permanent(err)
	}
	r.rows = &feeder{batch: conf.Batch, seed: random.Mix(conf.Seed, uint64(t.Partition)+1), prefetch: conf.Prefetch}
	return r, nil
}

func (r *replica) close() {
	if r.rows != nil {
		r.rows.close()
	}
	if r.pool != nil {
		r.pool.Close()
	}
}
