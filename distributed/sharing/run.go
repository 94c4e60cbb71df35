package sharing

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/tensor"
	"github.com/dl4go/dl4go/threshold"
)

// run is a running fit.
type run struct {
	lifetime
	master    *TrainingMaster
	net       *nn.Network
	reference *reference
	listen    func(distributed.Round)

	from   *coordination.Checkpoint // from which the coordinator continues; nil: from the beginning
	term   uint32                   // of the coordinator
	began  int                      // the network's iteration when the first epoch began
	before int                      // minibatches of the first epoch committed before the fit
	asked  bool                     // a checkpoint is requested
	left   context.CancelFunc       // ends the wait for the last checkpoint, once it is there

	inheritance
	dropped threshold.Removed // a residual that did not belong to the network

	settings       []byte          // of the workers
	of             *engine.Dataset // their examples
	sent, received uint64          // by the coordinator, in the fits before

	mu    sync.Mutex
	tally tally
	saved *taken // a new one, not yet passed on
	// newest is the last checkpoint. short is set if workers are missing for good.
	newest *taken
	short  *shortError
}

// tellEvery is the time between two samples of the members.
const tellEvery = 100 * time.Millisecond

// newRun makes a run that begins, or continues from a place.
func (m *TrainingMaster) newRun(net *nn.Network, listen func(distributed.Round)) (r *run, err error) {
	r = &run{master: m, net: net, listen: listen, term: 1, began: net.Iteration()}
	var configuration []byte
	if masters.Constrained(net) {
		if configuration, err = net.Configuration(); err != nil {
			return nil, err
		}
	}
	if m.opts.MaskMomentum && len(momentaOf(net)) == 0 {
		return nil, way.Errorf("maskMomentum: no updater of the network has a momentum; " +
			"leave it out, or choose another updater")
	}
	workers := len(m.ready.tasks)
	r.reference, err = newReference(twin{Params: net.NumParams(), Workers: workers,
		Kernels: distributed.HostKernels(m.base.Kernels), Network: configuration,
		Summed: m.encoding(net, workers).summed, Dense: m.opts.dense(m.ready.shares.Engine())})
	if err != nil {
		return nil, err
	}
	r.reference.statistics = statistics(net)
	r.tally.trained = map[coordination.Peer]int{}
	m.carried.inherit(r, net)
	if at := m.base.From; at != nil {
		m.base.From = nil
		if err = r.resume(*at); err != nil {
			r.reference.Close()
		}
	}
	return r, err
}

// train runs n epochs, and puts the result into the network.
func (m *TrainingMaster) train(ctx context.Context, net *nn.Network, n int, listen func(distributed.Round)) error {
	began := time.Now()
	r, err := m.staying.goOn(m, net, n, listen)
	if r == nil && err == nil {
		r, err = m.newRun(net, listen)
	}
	if err != nil {
		return err
	}
	defer func() {
		if m.staying.of != r {
			r.reference.Close()
		}
	}()
	r.keeps = n == 1 && m.keeps()
	r.begin(net.Epoch())         // a resumed coordinator may commit at once
	r.outlast(ctx, func() bool { // unless the workers have something to report to a checkpoint
		r.mu.Lock()
		defer r.mu.Unlock()
		return m.base.Checkpoints == nil || r.tally.account.updates == 0
	})
	if r.Job == nil {
		end := m.base.Times.Begin(stats.MasterBroadcast)
		if r.Job, err = resident.Start(r.working, r.plan()); err != nil {
			r.stop(nil)
			return way.Errorf("%w", err)
		}
		end(0)
	}
	var result *report
	err = masters.Attend(r.Stop, func() (err error) {
		result, err = r.epochs(ctx, n)
		return err
	})
	if err == nil && r.keeps && r.unhook() {
		m.staying.of = r
	} else {
		end := m.base.Times.Begin(stats.MasterStop)
		err = r.end(ctx, err)
		end(0)
	}
	if err != nil {
		if ctx.Err() == nil { // listeners hear of all committed steps, however soon the error came
			r.inform()
		}
		return r.failed(ctx, err)
	}
	copy(net.Params(), r.reference.current())
	err = m.settle(net, n, result, r)
	m.last.Duration = time.Since(began)
	return err
}

// failed puts the committed updates into the network, or returns an error with which fewer workers can go on.
func (r *run) failed(ctx context.Context, cause error) error {
	if r.short != nil && ctx.Err() == nil {
		return r.lacking(cause)
	}
	if r.reference.updates > 0 && !r.reference.stale {
		copy(r.net.Params(), r.reference.current())
		r.net.SetIteration(r.began + r.iterations(r.before+r.reference.updates))
		r.master.carried = carried{} // the workers had it
	}
	return cause
}

// network returns the coordinator's settings.
func (m *TrainingMaster) network() distributed.Residents {
	n := m.conf.VoidConfiguration.residents()
	n.Coordinator = m.opts.Coordinator
	return n
}

// stepBytes is about the size of a message of updates: all of a step, unless there are very many workers.
const stepBytes = 4 << 20

// plan returns the job of coordinator and workers.
func (r *run) plan() resident.Plan {
	m := r.master
	p := m.base.Plan(m.ready.shares.Engine(), m.network())
	p.Lost = "another takes its place, and goes on with its examples"
	p.Reference, p.From, p.Work, p.News, p.Tell = r.reference, r.from, r.work, r.news, r.tell
	p.MaxMessage = 8 * (r.net.NumParams() + r.net.NumStates())
	p.Config = coordination.Config{Term: r.term, Partitions: len(m.ready.ends),
		Min:  min(m.opts.MinWorkers, len(m.ready.tasks)),
		Lead: m.opts.Lead, InFlight: m.opts.InFlight, Lag: max(1, m.opts.Lag), Lockstep: m.opts.Lag == 0,
		Summed: r.reference.release != nil, Constrained: r.reference.net != nil, Batch: stepBytes,
		Fanout: m.opts.Fanout, Timing: p.Config.Timing}
	return p
}

// work returns the engine's job of the workers.
func (r *run) work(access engine.BroadcastID) (*engine.Dataset, error) {
	conf, err := r.worker()
	if err != nil {
		return nil, err
	}
	if r.settings, err = conf.settings(); err != nil {
		return nil, err
	}
	conf.Access, r.of = access, r.master.ready.shares
	return r.of.Map(worker.With(conf)), nil
}

// worker returns the configuration of the workers, without Access.
func (r *run) worker() (conf workerConfig, err error) {
	m := r.master
	algorithm, post := m.conf.algorithm(), m.conf.ResidualPostProcessor
	a, err := dl4j.Marshal(&algorithm)
	if err != nil {
		return conf, err
	}
	p, err := dl4j.Marshal(&post)
	if err != nil {
		return conf, err
	}
	e := m.encoding(r.net, len(m.ready.tasks))
	if m.opts.WarmUp == 0 {
		e.warmUp = min(e.warmUp, 2*r.mostMinibatches())
	}
	return workerConfig{
		WorkerConfig: m.base.Worker(m.conf.Minibatch(), m.conf.WorkerPrefetchNumBatches, uint64(m.conf.RNGSeed)),
		Starts:       append([]int{0}, m.ready.ends...), Tasks: m.ready.tasks,
		Algorithm: string(a), PostProcessor: string(p), EncodingDebug: m.conf.EncodingDebugMode, Longer: m.conf.longer(),
		Scale: e.combine.scale(len(m.ready.tasks)), WarmUp: e.warmUp, MaskMomentum: m.opts.MaskMomentum,
		Mean: e.mean, Thresholds: e.thresholds, Summed: e.summed,
		Dense: m.opts.dense(m.ready.shares.Engine()),
		Begun: r.began, First: r.net.Epoch(), Iterations: r.mostMinibatches(),
	}, nil
}

// epochs trains by the coordinator, and returns the sum of the workers' reports.
func (r *run) epochs(ctx context.Context, n int) (*report, error) {
	first := r.net.Epoch()
	beginning := state{Iteration: r.net.Iteration(), updater: r.net.UpdaterState()}
	r.give(&beginning)
	b, err := beginning.pack()
	if err != nil {
		return nil, err
	}
	open := coordination.Open{Epoch: uint32(first), Begin: true, Params: tensor.AppendBytes(nil, r.net.Params()), State: b}
	end := r.master.base.Times.Begin(stats.MasterMapPartitions)
	for i := range n {
		if i > 0 {
			r.begin(first + i)
		}
		if err := r.shared(ctx, first+i, i == 0 && r.from != nil, open); err != nil {
			if ctx.Err() == nil || !r.leave(ctx) || i+1 < n {
				return nil, err
			}
		}
		r.closed()
		open = coordination.Open{Epoch: uint32(first + i + 1)}
	}
	end(0)
	ctx, stop := grace.Extend(ctx, r.master.base.Timing.State) // the epoch is complete
	defer stop()
	defer r.master.base.Times.Begin(stats.MasterAggregate)(0)
	answer, err := r.Command(ctx, coordination.Settle{Group: 8})
	if err != nil {
		return nil, err
	}
	sum, err := unpackReport(answer.(coordination.Settled).Payload)
	if err != nil {
		return nil, err
	}
	if !r.keeps {
		if _, err := r.Command(ctx, coordination.Shut{Reason: "the fit is over"}); err != nil {
			return nil, err
		}
	}
	return &sum, nil
}

// shared runs an epoch. If a coordinator has already begun it, shared waits for its end.
func (r *run) shared(ctx context.Context, epoch int, begun bool, open coordination.Open) (err error) {
	ctx, end := tracing.Start(ctx, "share updates", "epoch", epoch+1)
	defer func() { end(err) }()
	if begun {
		_, err = r.Await(ctx)
	} else {
		_, err = r.Command(ctx, open)
	}
	return err
}

// settle puts the workers' final state into the network, and keeps the state for the next fit.
func (m *TrainingMaster) settle(net *nn.Network, epochs int, sum *report, r *run) error {
	defer m.base.Times.Begin(stats.MasterProcessParams)(0)
	updater := net.UpdaterState()
	before := slices.Clone(updater)
	if len(sum.updater) != len(updater) {
		return way.Errorf("the workers' updater state has %d values, the network's %d", len(sum.updater), len(updater))
	}
	for i, v := range sum.updater {
		updater[i] = v / float32(sum.Workers)
	}
	if err := net.CheckState(); err != nil {
		copy(updater, before)
		return err
	}
	states, err := sum.thresholds()
	if err != nil {
		return err
	}
	if len(sum.residual) != net.NumParams() {
		return way.Errorf("the workers' residual has %d values, the network %d parameters", len(sum.residual),
			net.NumParams())
	}
	m.carried = carriedBy(net.Params(), r.unsent(sum.residual, nil, 0, nil))
	m.conf.ThresholdAlgorithm, m.conf.UpdatesThreshold = m.conf.algorithm().From(threshold.Merge(states)), 0
	net.SetIteration(r.began + r.steps(epochs*r.mostMinibatches()))
	net.SetEpoch(net.Epoch() + epochs)
	score := math.NaN()
	if sum.Scored > 0 {
		score = sum.Score / float64(sum.Scored)
	}
	net.SetLastScore(score)
	if err := m.base.Times.AddRecord(sum.Events); err != nil {
		return err
	}
	if share := sum.clippedShare(); share > 0.5 {
		m.base.Log.Warn(fmt.Sprintf("gradient sharing: clipping has taken %.0f %% of the updates: raise the threshold "+
			"(thresholdAlgorithm, updatesThreshold), or lower the learning rate", 100*share))
	}
	sum.Lost.Residuals = r.tally.lost
	sum.Lost.Dropped.Add(r.dropped)
	m.last = r.result(sum, score)
	return nil
}

// result returns the fit's figures.
func (r *run) result(sum *report, score float64) Result {
	a, params := r.reference.account, r.net.NumParams()
	sent, received := r.Traffic()
	sent, received = sent-r.sent, received-r.received
	m := r.master
	e := m.encoding(r.net, len(m.ready.tasks))
	return Result{dense: e.scaled() && m.opts.dense(m.ready.shares.Engine()), sumsFrom: m.sumsFrom(),
		Workers: sum.Workers, Replaced: r.tally.replaced, Updates: a.updates, Examples: r.tally.examples,
		Score: score, Messages: a.bytes, Dense: 4 * int64(params) * int64(a.updates),
		Released: a.released,
		Sparsity: float64(a.values) / float64(max(1, a.updates)) / float64(params),
		Sent:     sum.Sent, Received: sum.Received, CoordinatorSent: sent, CoordinatorReceived: received, Losses: sum.Lost,
		StepTime: mean(sum.Took.Step, sum.Took.Steps), EncodeTime: mean(sum.Took.Encode, sum.Took.Steps),
		ApplyTime: mean(sum.Took.Apply, sum.Took.Applied)}
}
