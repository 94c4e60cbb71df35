package sharing

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/gradshare"
	"github.com/dl4go/dl4go/distributed/gradshare/mesh"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// run is a fit under way: the coordinator, in this process, and the engine's job of resident workers.
type run struct {
	master      *TrainingMaster
	net         nn.Network
	reference   *reference
	coordinator *gradshare.Coordinator
	host        *mesh.Host
	listen      func(distributed.Round)
	answers     chan gradshare.Action
	served      chan error // the host has ended
	worked      chan error // the job has ended

	mu    sync.Mutex
	tally tally
}

// tellEvery is the time between two reports to listeners.
const tellEvery = 100 * time.Millisecond

// letGo is how long workers have to end after the coordinator has let them go.
const letGo = 10 * time.Second

// train runs n epochs, and gives the network the result.
func (m *TrainingMaster) train(ctx context.Context, net nn.Network, n int, listen func(distributed.Round)) (err error) {
	began := time.Now()
	variant, err := kernel.Parse(m.opts.Kernels)
	if err != nil {
		return err
	}
	r := &run{master: m, net: net, listen: listen, answers: make(chan gradshare.Action, 4), served: make(chan error, 1), worked: make(chan error, 1)}
	r.reference = &reference{params: make([]float32, net.NumParams()), statistics: statistics(net), coder: threshold.NewCoderFor(nil, variant)}
	r.tally.trained = map[gradshare.Peer]int{}
	stop, err := r.start(ctx)
	if err != nil {
		return err
	}
	result, err := r.epochs(ctx, n)
	if err = stop(err); err != nil {
		if r.reference.updates > 0 {
			copy(net.Params(), r.reference.params)
			net.SetIteration(net.Iteration() + r.mostUpdates())
		}
		return err
	}
	copy(net.Params(), r.reference.params)
	err = m.settle(net, n, result, r)
	m.last.Duration = time.Since(began)
	return err
}

// start begins the coordinator and the job. stop, which must be called, ends them, and gives the cause if there is one.
func (r *run) start(ctx context.Context) (stop func(error) error, err error) {
	m, e := r.master, r.master.ready.shares.Engine()
	end := m.times.Begin(stats.MasterBroadcast)
	var job gradshare.JobID
	rand.Read(job[:])
	kind := m.opts.Transport.on(e)
	transport, err := kind.find()
	if err != nil {
		return nil, err
	}
	a := access{Job: job, Transport: kind.name, Mask: m.conf.VoidConfiguration.mask(), Mesh: m.conf.VoidConfiguration.MeshBuildMode == Mesh,
		Options: mesh.Options{MaxMessage: 8*(r.net.NumParams()+r.net.NumStates()) + 1<<20}}
	t, settings, err := transport.Coordinator(job, a.Options)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			t.Close()
			networks.forget(job)
		}
	}()
	listener, err := t.Listen(m.conf.VoidConfiguration.place(e))
	if err != nil {
		return nil, err
	}
	a.Coordinator, a.Settings = m.conf.VoidConfiguration.address(listener), settings
	conf := gradshare.Config{Job: job, Term: 1, Partitions: len(m.ready.ends), Min: min(m.opts.MinWorkers, len(m.ready.ends)),
		Lead: m.opts.Lead, InFlight: m.opts.InFlight, Lag: m.opts.Lag, Timing: m.opts.Timing}
	if a.Mesh {
		conf.Mode = gradshare.Mesh
	}
	if r.coordinator, err = gradshare.NewCoordinator(conf, r.reference, nil); err != nil {
		return nil, err
	}
	r.host, err = mesh.NewHost(mesh.Config{Machine: r.coordinator, Transport: t, Listener: listener, Act: r.act, Tick: m.opts.Timing.Beat / 2,
		Options: a.Options, Log: m.opts.Log})
	if err != nil {
		return nil, err
	}
	b, err := a.bytes()
	if err != nil {
		return nil, err
	}
	broadcast, err := e.Broadcast(ctx, b)
	if err != nil {
		return nil, err
	}
	end(0)
	work, err := r.work(broadcast.ID())
	if err != nil {
		broadcast.Release()
		return nil, err
	}
	hosting, stopHost := context.WithCancelCause(context.WithoutCancel(ctx))
	working, stopWork := context.WithCancelCause(ctx)
	go func() { r.served <- r.host.Run(hosting) }()
	go func() {
		r.worked <- work.Collect(working, func(int, engine.Row) error { return nil })
	}()
	return func(cause error) error {
		err := r.stop(cause, stopHost, stopWork)
		t.Close()
		networks.forget(job)
		broadcast.Release()
		return err
	}, nil
}

// work is the job of the resident workers.
func (r *run) work(access engine.BroadcastID) (*engine.Dataset, error) {
	m := r.master
	algorithm, post := m.conf.algorithm(), m.conf.ResidualPostProcessor
	a, err := dl4j.Marshal(&algorithm)
	if err != nil {
		return nil, err
	}
	p, err := dl4j.Marshal(&post)
	if err != nil {
		return nil, err
	}
	return m.ready.shares.Map(resident.With(residentConfig{
		Network: m.ready.network.ID(), Access: access, Kernels: m.opts.Kernels, Batch: m.conf.Minibatch(), Prefetch: m.conf.WorkerPrefetchNumBatches,
		Seed: uint64(m.conf.RNGSeed), Starts: append([]int{0}, m.ready.ends...), Algorithm: string(a), PostProcessor: string(p),
		EncodingDebug: m.conf.EncodingDebugMode, Longer: m.conf.longer(), Timing: m.opts.Timing, InFlight: m.opts.InFlight, Stats: m.times != nil,
	})), nil
}

// stop waits for the end of job and coordinator. With a cause, it brings it about.
func (r *run) stop(cause error, stopHost, stopWork context.CancelCauseFunc) error {
	if cause != nil {
		stopHost(cause)
	}
	if r.served != nil {
		if err := <-r.served; err != nil && cause == nil {
			cause = err
		}
	}
	stopHost(nil)
	if r.worked != nil {
		late := time.AfterFunc(letGo, func() { stopWork(cause) })
		err := <-r.worked
		if !late.Stop() && cause == nil {
			r.master.opts.Log.Warn("workers had to be ended: they have not followed the coordinator's word", "error", err)
		}
		// The coordinator only knows that workers are missing, the job knows why.
		var failed *engine.WorkerError
		if errors.As(err, &failed) && cause != nil {
			cause = err
		}
	}
	stopWork(nil)
	return cause
}

// epochs has the coordinator train, and gives the sum of the workers' reports.
func (r *run) epochs(ctx context.Context, n int) (*report, error) {
	first := r.net.Epoch()
	beginning := state{Iteration: r.net.Iteration(), updater: r.net.UpdaterState()}
	b, err := beginning.pack()
	if err != nil {
		return nil, err
	}
	open := gradshare.Open{Epoch: uint32(first), Begin: true, Params: tensor.AppendBytes(nil, r.net.Params()), State: b}
	end := r.master.times.Begin(stats.MasterMapPartitions)
	for i := range n {
		r.begin(first + i)
		if _, err := r.command(ctx, open); err != nil {
			return nil, err
		}
		r.closed()
		open = gradshare.Open{Epoch: uint32(first + i + 1)}
	}
	end(0)
	defer r.master.times.Begin(stats.MasterAggregate)(0)
	answer, err := r.command(ctx, gradshare.Settle{Group: 8})
	if err != nil {
		return nil, err
	}
	sum, err := unpackReport(answer.(gradshare.Settled).Payload)
	if err != nil {
		return nil, err
	}
	if _, err := r.command(ctx, gradshare.Shut{Reason: "the fit is over"}); err != nil {
		return nil, err
	}
	return &sum, nil
}

// command gives the coordinator one, and waits for the answer. Meanwhile it tells the listeners.
func (r *run) command(ctx context.Context, c gradshare.Event) (gradshare.Action, error) {
	r.host.Post(c)
	tick := time.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case a := <-r.answers:
			r.tell()
			return a, nil
		case <-tick.C:
			r.tell()
		case err := <-r.served:
			r.served = nil
			if len(r.answers) > 0 { // it has ended with the answer
				continue
			}
			if err == nil {
				err = errors.New("gradient sharing: the coordinator has ended before its time")
			}
			return nil, err
		case err := <-r.worked:
			r.worked = nil
			if len(r.answers) > 0 {
				continue
			}
			if err == nil {
				err = errors.New("gradient sharing: the workers have ended before the coordinator let them go")
			}
			return nil, err
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// settle gives the network what the workers had at the end, and keeps what the next fit begins with.
func (m *TrainingMaster) settle(net nn.Network, epochs int, sum *report, r *run) error {
	defer m.times.Begin(stats.MasterProcessParams)(0)
	updater := net.UpdaterState()
	if len(sum.updater) != len(updater) {
		return fmt.Errorf("gradient sharing: the workers' updater state has %d values, the network's %d", len(sum.updater), len(updater))
	}
	for i, v := range sum.updater {
		updater[i] = v / float32(sum.Workers)
	}
	states, err := sum.thresholds()
	if err != nil {
		return err
	}
	m.conf.ThresholdAlgorithm, m.conf.UpdatesThreshold = m.conf.algorithm().From(threshold.Merge(states)), 0
	net.SetIteration(net.Iteration() + epochs*r.mostMinibatches())
	net.SetEpoch(net.Epoch() + epochs)
	score := math.NaN()
	if sum.Scored > 0 {
		score = sum.Score / float64(sum.Scored)
	}
	net.SetLastScore(score)
	m.times.Add(sum.Events...)
	a := r.reference.account
	sent, received := r.host.Traffic()
	m.last = Result{Workers: sum.Workers, Replaced: r.tally.replaced, Updates: a.updates, Examples: r.tally.examples, Score: score,
		Messages: a.bytes, Dense: 4 * int64(net.NumParams()) * int64(a.updates), Sparsity: float64(a.values) / float64(a.updates) / float64(net.NumParams()),
		Sent: sum.Sent, Received: sum.Received, CoordinatorSent: sent, CoordinatorReceived: received, Losses: sum.Lost}
	return nil
}
