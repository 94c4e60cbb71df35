package paramavg

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// TrainingMaster trains by parameter averaging (Deeplearning4j: ParameterAveragingTrainingMaster). It is used by one
// goroutine at a time.
type TrainingMaster struct {
	conf Config
	opts Options

	hooks     []HookStep
	weighting data.Weighting
	times     *stats.Collector
	ready     prepared
	from      *distributed.Place // of the next fit; see Resume
	told      bool               // that the workers don't reach the coordinator
	came      int                // how many residents came where others did not; 0: all came
}

var _ distributed.TrainingMaster = (*TrainingMaster)(nil)

// New makes a training master. It fails where the settings are wrong.
func New(c Config, o Options) (*TrainingMaster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	for _, w := range c.ineffective() {
		o.Log.Warn(w)
	}
	if o.Time != (stats.TimeSource{}) && !c.CollectTrainingStats {
		return nil, errors.New("parameter averaging: Time is of the statistics, and CollectTrainingStats is not set")
	}
	m := &TrainingMaster{conf: c, opts: o}
	if c.CollectTrainingStats {
		clock, err := o.Time.Start()
		if err != nil {
			return nil, fmt.Errorf("parameter averaging: %w", err)
		}
		m.times = stats.NewBy("master", clock)
	}
	return m, nil
}

// Config gives the settings.
func (m *TrainingMaster) Config() Config { return m.conf }

// AddHook adds a hook to those that the workers, and the master, call.
func (m *TrainingMaster) AddHook(h HookStep) { m.hooks = append(m.hooks, h) }

// RemoveHook takes an equal hook away, if there is one.
func (m *TrainingMaster) RemoveHook(h HookStep) {
	if i := slices.Index(m.hooks, h); i >= 0 {
		m.hooks = slices.Delete(m.hooks, i, i+1)
	}
}

// Stats gives the durations of the phases so far; nil unless CollectTrainingStats is set.
func (m *TrainingMaster) Stats() *stats.Collector { return m.times }

// Fit trains one epoch on d.
func (m *TrainingMaster) Fit(ctx context.Context, of nn.AnyNetwork, d *distributed.Data, listen func(distributed.Round)) error {
	net := of.Base()
	return m.train(net, func() (int, error) {
		examples, _, err := m.fit(ctx, net, d, m.first(net, 0), listen)
		if err == nil {
			net.SetEpoch(net.Epoch() + 1)
		}
		return examples, err
	})
}

// train does what belongs to every fit, around one that tells how many examples it trained.
func (m *TrainingMaster) train(net *nn.Network, fit func() (int, error)) error {
	end := m.times.Begin(stats.MasterFit)
	before := slices.Clone(net.Params())
	masterHooks, err := m.masterHooks()
	if err != nil {
		return err
	}
	for _, h := range masterHooks {
		if err := h.BeforeTraining(net); err != nil {
			return fmt.Errorf("training hook before training: %w", err)
		}
	}
	examples, err := fit()
	if err != nil {
		return err
	}
	if err := net.CheckState(); err != nil {
		return err
	}
	distributed.WarnUnmoved(m.opts.Log, before, net.Params())
	for _, h := range masterHooks {
		if err := h.AfterTraining(net); err != nil {
			return fmt.Errorf("training hook after training: %w", err)
		}
	}
	end(examples)
	m.times.Tell(m.opts.Log)
	return nil
}

func (m *TrainingMaster) masterHooks() ([]MasterHook, error) {
	all, err := makeHooks(m.hooks)
	if err != nil {
		return nil, err
	}
	var out []MasterHook
	for _, h := range all {
		if mh, ok := h.(MasterHook); ok {
			out = append(out, mh)
		}
	}
	return out, nil
}

func (m *TrainingMaster) fit(ctx context.Context, net *nn.Network, d *distributed.Data, p pass, listen func(distributed.Round)) (examples, minibatches int, err error) {
	from, err := m.prepare(ctx, net, d)
	if err != nil {
		return 0, 0, err
	}
	end := m.times.Begin(stats.MasterCount)
	counts, err := from.Counts(ctx)
	if err != nil {
		return 0, 0, err
	}
	end(0)
	end = m.times.Begin(stats.MasterSplit)
	layout := m.Layout(from.Engine(), counts, p.place.Pass)
	tidy(layout.Examples())
	rounds, err := m.opts.Splitter.Split(layout)
	if err != nil {
		return 0, 0, err
	}
	rounds, untrained := p.cut(rounds, layout.Batch)
	if err := m.locate(&p.place, rounds, net.Epoch()); err != nil {
		return 0, 0, err
	}
	end(layout.Examples())
	c := &course{m, net, from, layout, rounds, untrained, p.place, listen}
	by, err := m.runner(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	whole := false
	defer func() {
		if !whole { // a listener panicked, which is its caller's; workers must not stay
			by.close(errors.New("a listener of the fit has panicked"))
		}
	}()
	examples, minibatches, err = c.train(ctx, by)
	whole = true
	return examples, minibatches, by.close(err)
}

// Layout returns the splitter's input for a pass over data with these numbers of examples in its partitions.
func (m *TrainingMaster) Layout(e engine.Engine, counts []int64, pass uint64) Layout {
	l := Layout{Workers: m.conf.NumWorkers, Batch: m.conf.BatchSizePerWorker, Frequency: m.conf.AveragingFrequency,
		Seed: m.conf.RNGSeed, Epoch: pass, Repartition: m.conf.Repartition, Strategy: m.conf.RepartitionStrategy}
	for _, c := range counts {
		l.Partitions = append(l.Partitions, int(c))
	}
	if l.Workers == 0 {
		l.Workers = max(1, min(e.Slots(), l.Examples()))
	}
	return l
}

// prepared is what one fit leaves for the next one.
type prepared struct {
	data    *distributed.Data // what was given
	from    *distributed.Data // what is trained from: exported, or the same
	files   *distributed.Exported
	net     *nn.Network
	network engine.Broadcast

	persisted bool // from, by the master
}

// prepare exports or persists the data, and broadcasts the network, where that has not been done.
func (m *TrainingMaster) prepare(ctx context.Context, net *nn.Network, d *distributed.Data) (*distributed.Data, error) {
	if m.ready.data != d || m.ready.net != net {
		if err := m.Close(); err != nil {
			return nil, err
		}
	}
	if m.ready.network == nil {
		end := m.times.Begin(stats.MasterBroadcast)
		conf, err := net.Configuration()
		if err != nil {
			return nil, err
		}
		if m.ready.network, err = d.Engine().Broadcast(ctx, conf); err != nil {
			return nil, err
		}
		end(0)
		m.ready.net = net
		if o := m.opts.Network; m.opts.transport.On(d.Engine()) == resident.InMemory && o.Coordinator == "" && (o.Port != 0 || o.Mask != "" || o.Address != "") {
			m.opts.Log.Warn("parameter averaging: port, network mask and address of the coordinator have no effect on " + d.Engine().Master() + ": messages stay in the process")
		}
	}
	if m.ready.data == d {
		return m.ready.from, nil
	}
	m.ready.from = d
	if m.conf.RDDTrainingApproach == Export && !d.Saved() {
		end := m.times.Begin(stats.MasterExport)
		files, err := d.ExportForTraining(ctx, m.conf.ExportDirectory, m.conf.BatchSizePerWorker, m.conf.KeepExported, m.opts.Log)
		if err != nil {
			return nil, err
		}
		m.ready.files, m.ready.from = files, files.Data
		end(0)
	}
	if from, level := m.ready.from, m.level(); level != engine.None && level != "" && !from.Persisted() {
		from.Persist(level)
		m.ready.persisted = true
	}
	m.ready.data = d
	return m.ready.from, nil
}

// level is where examples are kept between epochs.
func (m *TrainingMaster) level() engine.StorageLevel {
	if m.conf.RDDTrainingApproach == Export {
		return m.conf.StorageLevelStreams
	}
	return m.conf.StorageLevel
}

// Close releases data that fits kept for later ones, and removes exported files unless KeepExported is set.
func (m *TrainingMaster) Close() error {
	r := m.ready
	m.ready = prepared{}
	if r.network != nil {
		r.network.Release()
	}
	if r.persisted {
		r.from.Unpersist()
	}
	if r.files == nil || m.conf.KeepExported {
		return nil
	}
	return r.files.RemoveAtEnd()
}
