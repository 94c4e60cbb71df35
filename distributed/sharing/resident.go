package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/gradshare/mesh"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/threshold"
)

// residentConfig is what a worker needs to know.
type residentConfig struct {
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
	Timing        gradshare.Timing
	InFlight      int
	Stats         bool
}

// resident keeps the partition's rows, and trains on them until the coordinator lets it go. It gives no rows.
var resident = engine.Register("sharing.resident", func(t *engine.Task, conf residentConfig, in engine.Rows, _ engine.Writer) error {
	b, err := t.Broadcast(conf.Access)
	if err != nil {
		return err
	}
	var a access
	if err := json.Unmarshal(b, &a); err != nil {
		return engine.Permanent(err)
	}
	r, err := newReplica(t, conf)
	if err != nil {
		return err
	}
	defer r.close()
	r.end = r.times.Begin(stats.WorkerTotal)
	for row, err := range engine.All(in) {
		if err != nil {
			return err
		}
		r.rows.rows = append(r.rows.rows, row.Bytes)
	}
	if len(r.rows.rows) == 0 {
		return engine.Permanent(errors.New("the worker's partition has no examples"))
	}
	err = r.serve(t.Context(), a)
	if r.failed != nil {
		return r.failed
	}
	return err
})

// newReplica makes the worker's network and encoder.
func newReplica(t *engine.Task, conf residentConfig) (*replica, error) {
	r := &replica{task: t, conf: conf}
	if conf.Stats {
		r.times = stats.New(fmt.Sprintf("partition %d", t.Partition))
	}
	defer r.times.Begin(stats.WorkerInitialModel)(0)
	var err error
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

// serve runs the worker's side of gradient sharing to its end.
func (r *replica) serve(ctx context.Context, a access) error {
	kind, err := TransportKind{a.Transport}.find()
	if err != nil {
		return engine.Permanent(err)
	}
	transport, err := kind.Worker(a.Job, a.Settings, a.Options)
	if err != nil {
		return engine.Permanent(err)
	}
	defer transport.Close()
	var listener mesh.Listener
	address := ""
	if a.Mesh {
		if listener, err = transport.Listen(mesh.Place{Mask: a.Mask, Toward: a.Coordinator}); err != nil {
			return err
		}
		address = listener.Address()
	}
	worker, err := gradshare.NewWorker(gradshare.WorkerConfig{Job: a.Job, Nonce: rand.Uint64(), Attempt: uint32(r.task.Attempt),
		Shares:  []gradshare.Share{{Partition: uint32(r.task.Partition), Minibatches: uint32(r.rows.minibatches())}},
		Address: address, Coordinator: a.Coordinator, InFlight: r.conf.InFlight, Timing: r.conf.Timing}, r)
	if err != nil {
		return engine.Permanent(err)
	}
	host, err := mesh.NewHost(mesh.Config{Machine: worker, Transport: transport, Listener: listener, Coordinator: a.Coordinator,
		Tick: r.conf.Timing.Beat / 2, Options: a.Options, Log: r.task.Log,
		Train: func(_ context.Context, t gradshare.Train) gradshare.Trained { return r.step(t) },
		Act: func(a gradshare.Action) {
			if w, ok := a.(gradshare.Warn); ok {
				r.task.Log.Warn(w.Text)
			}
		}})
	if err != nil {
		return engine.Permanent(err)
	}
	r.traffic = host.Traffic
	return host.Run(ctx)
}
