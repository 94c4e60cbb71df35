package sharing

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// TrainingMaster trains by shared gradients (Deeplearning4j: SharedTrainingMaster). One goroutine at a time may use it.
type TrainingMaster struct {
	base *masters.Base
	conf Config
	opts Options

	carried
	ready assigned
	last  Result
	fewer int // the number of workers after some were lost for good; 0: none was lost

	staying stayers
}

// Options are settings that a file cannot hold. The zero value has the defaults.
type Options struct {
	// Coordinator is the file of keys of a dl4go coordinator, through which workers and this process reach each other.
	// It is needed if the workers can't reach this process. It is empty by default: then the coordinator is in this
	// process.
	Coordinator string
	// Kernels names the instruction set of the workers' kernels, as distributed.Options does.
	Kernels string
	// MinWorkers is the number of workers with which training begins: 1 by default. The others may come later.
	MinWorkers int
	// Lag is the number of updates of each worker that the slowest replica may lack. With 0, the default, workers go in
	// lockstep: each step begins with all updates of the step before.
	//
	// InFlight is the number of a worker's updates that may be on their way: 1 by default, and always in lockstep. Lead is
	// the number of minibatches that a worker may be ahead of the slowest: 256 by default. Larger values let workers wait
	// less for a slow network and for each other, but they train on older parameters.
	InFlight, Lag, Lead int
	// Combine says how the updates of a step are combined. Values says how far an update moves parameters, Thresholds
	// which parameters share a threshold, and Release what workers receive at the end of a step. Their defaults depend on
	// the threshold algorithm.
	Combine    Combine
	Values     Values
	Thresholds Thresholds
	Release    Release
	// Coding says how updates become bytes: in the fewest, or in the least time. Its default depends on the engine.
	Coding Coding
	// WarmUp is the number of iterations, from the network's first, in which updates grow linearly to their full size.
	// It is 0 by default. Where Sum is the default because of the updater, it is five times the number of workers, but
	// at most the iterations of two epochs.
	WarmUp int
	// MaskMomentum sets the momentum of each parameter that an update sends to 0, so that the direction of old steps
	// does not go on after it was sent. It has no effect on updaters without momentum.
	MaskMomentum bool
	// Stay lets the workers of a cluster stay for the next Fit, which saves the start of a job. Until then, or until
	// Close, they occupy their slots, so other jobs of the engine may wait for them. It has no effect with a Coordinator,
	// on devices, and with FitEpochs of more than one epoch.
	Stay bool
	// Augment changes pictures at random, on the workers, before each minibatch.
	Augment data.Augmentation
	// Fanout is the number of workers to which the coordinator, and each worker, sends messages in a Mesh: 8 by default.
	Fanout int
	// Timing has the timeouts: [distributed.DefaultTiming] by default.
	Timing distributed.Timing
	// Listen, if not nil, is called with the progress of training a few times a second, by the goroutine that called
	// Fit, before Fit's own listener.
	Listen func(Progress)
	// Checkpoints, if not nil, receives the network during an epoch, with the state that Resume needs.
	Checkpoints distributed.Checkpoints
	// Time is the clock of the statistics' events, on the master and the workers: by default each machine's own.
	Time stats.TimeSource
	// Looks configure the workers' checks and measurements of their steps.
	Looks distributed.Looks
	Log   *slog.Logger // slog.Default()

	transport resident.TransportKind // for tests; otherwise the engine's
	anywhere  bool                   // for tests: workers stay on every engine
}

var _ distributed.TrainingMaster = (*TrainingMaster)(nil)

// New makes a training master. It fails if the settings are wrong.
func New(c Config, o Options) (*TrainingMaster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := o.validateEncoding(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	if o.Lag < 0 || o.Lag == 0 && o.InFlight > 1 {
		return nil, way.Errorf("Lag %d with InFlight %d: with a Lag of 0 there is one update of a worker on its way",
			o.Lag, o.InFlight)
	}
	base, err := masters.New(way, c.common(), o.common(), distributed.DefaultTiming().Step)
	if err != nil {
		return nil, err
	}
	base.Warn(c.ineffective())
	return &TrainingMaster{base: base, conf: c, opts: o}, nil
}

// withDefaults fills in the defaults of zero fields that only this master has.
func (o Options) withDefaults() Options {
	for v, d := range map[*int]int{&o.MinWorkers: 1, &o.InFlight: 1, &o.Lead: coordination.DefaultLead,
		&o.Fanout: coordination.DefaultFanout} {
		if *v == 0 {
			*v = d
		}
	}
	return o
}

// common returns the options that other masters have, too.
func (o Options) common() masters.Options {
	return masters.Options{Kernels: o.Kernels, Timing: o.Timing, Augment: o.Augment, Checkpoints: o.Checkpoints,
		Time: o.Time, Looks: o.Looks, Log: o.Log, Transport: o.transport}
}

// Config returns the settings. After a fit, its threshold algorithm has the state that the workers ended with.
func (m *TrainingMaster) Config() Config { return m.conf }

// Stats returns the durations of the phases so far; nil unless CollectTrainingStats is set.
func (m *TrainingMaster) Stats() *stats.Collector { return m.base.Times }

// Last returns the result of the last fit.
func (m *TrainingMaster) Last() Result { return m.last }

// Fit trains one epoch on d. A few times a second, listen receives the updates that were committed since its last call;
// Index and Of count the minibatches of the epoch. If Fit fails, the network has the parameters of the committed
// updates. Its updater state is unchanged, and the epoch is not counted. The workers' residuals are then lost, unless
// Options.Checkpoints has received them.
func (m *TrainingMaster) Fit(ctx context.Context, net nn.AnyNetwork, d *distributed.Data,
	listen func(distributed.Round)) error {
	return m.FitEpochs(ctx, net, d, 1, listen)
}

// FitEpochs trains n epochs with the same workers. They keep their residuals and updater states from one epoch to the
// next, and no data is sent again. At the end, the master keeps the sum of the residuals, which the network lacks. It
// enters the next fit, in equal portions, if the network still has the parameters of this fit's end. Otherwise it is
// dropped: [Losses] counts it. Deeplearning4j differs: it always drops the residuals.
func (m *TrainingMaster) FitEpochs(ctx context.Context, of nn.AnyNetwork, d *distributed.Data, n int,
	listen func(distributed.Round)) error {
	if n < 1 {
		return fmt.Errorf("%d epochs were asked for", n)
	}
	net := of.Base()
	return m.base.Fit(net, func() (int, error) {
		if err := m.prepareProbing(ctx, net, d); err != nil {
			return 0, err
		}
		for last := net.Epoch() + n; ; {
			err := m.train(ctx, net, last-net.Epoch(), listen)
			short := (*shortError)(nil)
			if errors.As(err, &short) {
				err = m.goOn(ctx, net, d, short)
			} else if err == nil {
				return m.last.Examples, net.CheckParams()
			}
			if err != nil {
				return 0, err
			}
		}
	}, m.unmoved)
}

// assigned is the assignment of the data to workers, as long as data and network are the same.
type assigned struct {
	shares   *engine.Dataset // a partition for each worker
	ends     []int           // of the partitions, in the order of an epoch
	tasks    []int           // of the workers' shares: a partition each, or several if there are fewer workers
	checksum uint32          // of the examples in each partition
}

// prepareProbing prepares, and meanwhile checks that workers reach the coordinator. If they can't, it stops preparing.
func (m *TrainingMaster) prepareProbing(ctx context.Context, net *nn.Network, d *distributed.Data) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	probed := make(chan error, 1)
	go func() {
		err := m.base.Probe(ctx, d.Engine(), m.network())
		if err != nil {
			err = way.Errorf("%w", err)
			stop(err)
		}
		probed <- err
	}()
	err := m.prepare(ctx, net, d)
	if err != nil {
		stop(err)
	}
	if unreached := <-probed; unreached != nil && (err == nil || context.Cause(ctx) == unreached) {
		return unreached
	}
	return err
}

// prepare exports the data, broadcasts the network, and spreads the data over the workers, unless that is already done.
func (m *TrainingMaster) prepare(ctx context.Context, net *nn.Network, d *distributed.Data) error {
	if !m.base.Fits(net, d) {
		if err := m.Close(); err != nil {
			return err
		}
	}
	from, first, err := m.base.Prepare(ctx, net, d, m.conf.Minibatch())
	if err != nil {
		return err
	}
	if first {
		m.base.Warn(m.conf.ineffectiveOn(d.Engine(), m.base.Transport.On(d.Engine()), m.opts.Coordinator))
	}
	n, err := m.resumed()
	if err != nil {
		return err
	}
	if r := &m.ready; r.shares != nil && (n == 0 || n == len(r.ends)) && (m.fewer == 0 || m.fewer >= len(r.tasks)) {
		return nil
	}
	m.staying.dismiss()
	m.ready.release()
	return m.spread(ctx, from, n)
}

// spread gives each worker its share. partitions is the number of partitions of a resumed epoch, or 0.
func (m *TrainingMaster) spread(ctx context.Context, from *distributed.Data, partitions int) error {
	counts, err := m.base.Counts(ctx, from)
	if err != nil {
		return err
	}
	end := m.base.Times.Begin(stats.MasterRepartition)
	workers := m.Workers(from.Engine())
	if m.fewer > 0 {
		workers = min(workers, m.fewer)
	}
	l := Layout{Partitions: counts, Workers: workers, Batch: m.conf.Minibatch(), Seed: uint64(m.conf.RNGSeed)}
	if partitions > 0 {
		l.Workers = partitions
	}
	a, err := m.assign(l)
	if err != nil {
		return err
	}
	a = shares(a, l.Workers)
	tasks := shares(a, workers)
	if m.ready.shares, err = from.Assign(ctx, tasks, m.base.Kept()); err != nil {
		return err
	}
	m.ready.ends, m.ready.tasks, m.ready.checksum = a.Ends, tasks.Ends, m.checksum(a)
	end(l.Examples())
	return nil
}

// assign calls the repartitioner, and checks its result.
func (m *TrainingMaster) assign(l Layout) (a engine.Assignment, err error) {
	if l.Examples() == 0 {
		return a, errors.New("the data set is empty: there is nothing to train on")
	}
	by := m.conf.Repartitioner
	if by == nil {
		by = deprecated{m.conf.Repartition, m.conf.RepartitionStrategy}
	}
	if a, err = by.Assign(l); err != nil {
		return a, err
	}
	if err := a.Validate(); err != nil {
		return a, way.Errorf("the repartitioner: %w", err)
	}
	if a.Rows() != l.Examples() {
		return a, way.Errorf("the repartitioner has assigned %d of %d examples", a.Rows(), l.Examples())
	}
	return a, nil
}

// Workers returns the number of workers on an engine, unless the repartitioner makes fewer partitions.
func (m *TrainingMaster) Workers(e engine.Engine) int { return m.conf.Workers(e) }

// release drops the workers' kept shares.
func (a *assigned) release() {
	if a.shares != nil {
		a.shares.Unpersist()
	}
	a.shares = nil
}

// Close ends workers that stayed, releases data that fits kept for later ones, and removes exported files unless
// KeepExported is set.
func (m *TrainingMaster) Close() error {
	m.staying.dismiss()
	m.ready.release()
	m.ready = assigned{}
	return m.base.Close()
}
