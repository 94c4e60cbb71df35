package sharing

import (
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/threshold"
)

// workerConfig is the configuration of a worker.
type workerConfig struct {
	masters.WorkerConfig
	Access        engine.BroadcastID // access data of the coordinator
	Starts        []int              // the place of each partition's first example in the order of an epoch
	Tasks         []int              // the ends of the workers' partitions in that order
	Algorithm     string             // JSON of a threshold.Algorithm
	PostProcessor string             // of a threshold.PostProcessor
	EncodingDebug bool
	Longer        time.Duration // added to each step
	Scale         float32       // of each update, by Options.Combine
	WarmUp        int           // iterations in which the updates grow to that
	MaskMomentum  bool
	Mean          bool // of the encoder
	Thresholds    Thresholds
	Summed        bool // releases are sums
	Dense         bool // messages are dense
	Begun, First  int  // the network's iteration and epoch when the fit's first epoch began
	Iterations    int  // minibatches in an epoch of the worker that trains most
}

// worker keeps the partition's rows, and trains on them until the coordinator dismisses it. It writes no rows.
var worker = engine.Register("sharing.worker", func(t *engine.Task, conf workerConfig, in engine.Rows,
	_ engine.Writer) error {
	r, err := newReplica(t, conf)
	if err != nil {
		return err
	}
	defer r.close()
	r.end = r.times.Begin(stats.WorkerTotal)
	end := r.times.Begin(stats.WorkerDataSet)
	rows, err := resident.Keep(in)
	if err != nil {
		return err
	}
	end(0) // minibatches count the examples
	defer rows.Close()
	if rows.Len() == 0 {
		return engine.Permanent(errors.New("the worker's partition has no examples"))
	}
	w := resident.Worker{Access: conf.Access, Replica: r, Train: r.step}
	if w.Shares, err = r.hold(rows); err != nil {
		return engine.Permanent(err)
	}
	r.traffic = w.Traffic
	err = w.Serve(t)
	if r.failed != nil {
		return r.failed
	}
	return err
})

// newReplica makes the worker's network and encoder.
func newReplica(t *engine.Task, conf workerConfig) (*replica, error) {
	r := &replica{task: t, conf: conf, changes: conf.Changes()}
	var err error
	if r.times, err = conf.Collector(t); err != nil {
		return nil, err
	}
	r.gauge = distributed.NewGauge(r.times)
	defer r.times.Begin(stats.WorkerInitialModel)(0)
	if r.net, err = conf.Replica(t); err != nil {
		return nil, err
	}
	r.statistics = statistics(r.net)
	if r.coder, err = threshold.NewCoderFor(t.Threads, conf.Host); err != nil {
		return nil, engine.Permanent(err)
	}
	r.writer = writer{coder: r.coder, dense: conf.Dense}
	if r.encoder, err = r.newEncoder(); err != nil {
		r.close()
		return nil, engine.Permanent(err)
	}
	if r.net.OnDevice() {
		if err = r.toDevice(); err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// newEncoder makes an encoder without a residual.
func (r *replica) newEncoder() (*threshold.Encoder, error) {
	var algorithm threshold.Algorithm
	var post threshold.PostProcessor
	if err := dl4j.Unmarshal([]byte(r.conf.Algorithm), &algorithm); err != nil {
		return nil, err
	}
	if err := dl4j.Unmarshal([]byte(r.conf.PostProcessor), &post); err != nil {
		return nil, err
	}
	options := encoding{mean: r.conf.Mean, thresholds: r.conf.Thresholds, summed: r.conf.Summed}.options(r.net)
	return threshold.NewEncoder(r.coder, r.net.NumParams(), algorithm, post, options)
}

// hold takes the worker's rows: those of its partition, or of several partitions if there are fewer workers than the
// epoch began with.
func (r *replica) hold(rows *resident.Rows) ([]coordination.Share, error) {
	from, to := 0, r.conf.Tasks[r.task.Partition]
	if r.task.Partition > 0 {
		from = r.conf.Tasks[r.task.Partition-1]
	}
	if rows.Len() != to-from {
		return nil, fmt.Errorf("the worker's partition has %d examples, not %d: the data has changed, "+
			"or its source gives other rows each time: persist it", rows.Len(), to-from)
	}
	var shares []coordination.Share
	r.feeders = map[uint32]*feeder{}
	for p, start := range r.conf.Starts[:len(r.conf.Starts)-1] {
		if start < from || start >= to {
			continue
		}
		f := &feeder{rows: rows, from: start - from, n: r.conf.Starts[p+1] - start, batch: r.conf.Batch,
			seed: random.Mix(r.conf.Seed, uint64(p)+1), prefetch: r.conf.Prefetch,
			spent: distributed.NewSpent(r.conf.Kernels, r.conf.Prefetch)}
		r.feeders[uint32(p)] = f
		shares = append(shares, coordination.Share{Partition: uint32(p), Minibatches: uint32(f.minibatches())})
	}
	return shares, nil
}

func (r *replica) close() {
	for _, f := range r.feeders {
		f.close()
	}
	if r.coder != nil {
		r.coder.Close()
	}
}
