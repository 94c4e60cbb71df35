package paramavg

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/distributed/internal/masters"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// TrainingMaster trains by parameter averaging (Deeplearning4j: ParameterAveragingTrainingMaster). One goroutine at a
// time may use it.
type TrainingMaster struct {
	base *masters.Base
	conf Config
	opts Options

	outer     *outerState // nil without an outer optimiser
	pacer     *pacer      // nil with a fixed frequency
	hooks     []HookStep
	persisted *distributed.Data // by the master
	told      bool              // the warning that workers don't reach the coordinator was logged
	came      int               // number of resident workers that came when others did not; 0: all came
	staying   stayers
}

var _ distributed.TrainingMaster = (*TrainingMaster)(nil)

// New makes a training master. It fails if the settings are wrong.
func New(c Config, o Options) (*TrainingMaster, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := o.validate(); err != nil {
		return nil, err
	}
	if o.Splitter == nil {
		o.Splitter = ByIndex{}
	}
	base, err := masters.New(way, c.common(), o.common(), time.Hour)
	if err != nil {
		return nil, err
	}
	base.Warn(c.ineffective())
	m := &TrainingMaster{base: base, conf: c, opts: o}
	if c.Outer.Rule != NoOuter {
		m.outer = &outerState{conf: c.Outer}
	}
	if o.AutoFrequency {
		m.pacer = newPacer(m.outer != nil)
	}
	return m, nil
}

// Config returns the settings.
func (m *TrainingMaster) Config() Config { return m.conf }

// AddHook adds a hook, which the workers and the master call.
func (m *TrainingMaster) AddHook(h HookStep) { m.hooks = append(m.hooks, h) }

// RemoveHook removes an equal hook, if there is one.
func (m *TrainingMaster) RemoveHook(h HookStep) {
	if i := slices.Index(m.hooks, h); i >= 0 {
		m.hooks = slices.Delete(m.hooks, i, i+1)
	}
}

// Stats returns the durations of the phases so far; nil unless CollectTrainingStats is set.
func (m *TrainingMaster) Stats() *stats.Collector { return m.base.Times }

// Fit trains one epoch on d.
func (m *TrainingMaster) Fit(ctx context.Context, of nn.AnyNetwork, d *distributed.Data,
	listen func(distributed.Round)) error {
	net := of.Base()
	return m.train(net, func() (int, error) {
		examples, _, err := m.fit(ctx, net, d, m.first(net, 0), listen)
		if err == nil {
			net.SetEpoch(net.Epoch() + 1)
		}
		return examples, err
	})
}

// train does the work that is common to all fits. It calls fit, which returns the number of examples that it trained.
func (m *TrainingMaster) train(net *nn.Network, fit func() (int, error)) error {
	return m.base.Fit(net, func() (int, error) {
		hooks, err := m.masterHooks()
		if err != nil {
			return 0, err
		}
		for _, h := range hooks {
			if err := h.BeforeTraining(net); err != nil {
				return 0, fmt.Errorf("training hook before training: %w", err)
			}
		}
		examples, err := fit()
		if err == nil {
			err = net.CheckState()
		}
		if err != nil {
			return 0, err
		}
		for _, h := range hooks {
			if err := h.AfterTraining(net); err != nil {
				return 0, fmt.Errorf("training hook after training: %w", err)
			}
		}
		return examples, nil
	}, func() string { return "" })
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

// fit trains a pass. It returns the number of examples, and of the minibatches of the worker with most.
func (m *TrainingMaster) fit(ctx context.Context, net *nn.Network, d *distributed.Data, p pass,
	listen func(distributed.Round)) (examples, minibatches int, err error) {
	from, err := m.prepare(ctx, net, d)
	if err != nil {
		return 0, 0, err
	}
	counts, err := m.base.Counts(ctx, from)
	if err != nil {
		return 0, 0, err
	}
	end := m.base.Times.Begin(stats.MasterSplit)
	layout := m.layout(from.Engine(), counts, p.place.Pass)
	tidy(layout.Examples())
	rounds, err := m.schedule(layout)
	if err != nil {
		return 0, 0, err
	}
	rounds, untrained := p.cut(rounds, layout.Batch)
	if err := m.locate(&p.place, rounds, net.Epoch()); err != nil {
		return 0, 0, err
	}
	if m.outer != nil {
		if err := m.outer.seat(net, rounds.places(), layout.Workers); err != nil {
			return 0, 0, err
		}
	}
	end(layout.Examples())
	c := &course{master: m, net: net, from: from, layout: layout, sizes: rounds.sizes(), rounds: rounds, left: untrained,
		place: p.place, listen: listen}
	by, err := m.runner(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	err = masters.Attend(by.close, func() error {
		examples, minibatches, err = c.train(ctx, by)
		return err
	})
	err = by.close(err)
	if err != nil && ctx.Err() != nil && c.results != nil { // it may have ended after the last round, too
		err = errors.Join(err, c.results.interrupted())
	}
	if err == nil && m.pacer != nil {
		if chosen, ok := m.pacer.choose(layout.Frequency); ok && m.opts.Paced != nil {
			m.opts.Paced(chosen)
		}
	}
	return examples, minibatches, err
}

// Layout returns the splitter's input for a pass over data with these numbers of examples in its partitions.
func (m *TrainingMaster) Layout(e engine.Engine, counts []int64, pass uint64) Layout {
	var partitions []int
	for _, n := range counts {
		partitions = append(partitions, int(n))
	}
	return m.layout(e, partitions, pass)
}

func (m *TrainingMaster) layout(e engine.Engine, partitions []int, pass uint64) Layout {
	l := Layout{Partitions: partitions, Workers: m.conf.NumWorkers, Batch: m.conf.BatchSizePerWorker,
		Frequency: m.conf.AveragingFrequency, Seed: m.conf.RNGSeed, Epoch: pass, Repartition: m.conf.Repartition,
		Strategy: m.conf.RepartitionStrategy}
	if m.pacer != nil && m.pacer.frequency > 0 {
		l.Frequency = m.pacer.frequency
	}
	if l.Workers == 0 {
		l.Workers = max(1, min(e.Slots(), l.Examples()))
	}
	return l
}

// prepare returns the data to train from, and persists it.
func (m *TrainingMaster) prepare(ctx context.Context, net *nn.Network, d *distributed.Data) (*distributed.Data, error) {
	if !m.base.Fits(net, d) {
		if err := m.Close(); err != nil {
			return nil, err
		}
	}
	from, first, err := m.base.Prepare(ctx, net, d, m.conf.BatchSizePerWorker)
	if err != nil {
		return nil, err
	}
	if o := m.opts.Network; first && m.base.Transport.On(d.Engine()) == resident.InMemory && o.Coordinator == "" &&
		(o.Port != 0 || o.Mask != "" || o.Address != "") {
		m.base.Log.Warn("parameter averaging: port, network mask and address of the coordinator have no effect on " +
			d.Engine().Master() + ": messages stay in the process")
	}
	if level := m.base.Kept(); level != engine.None && level != "" && !from.Persisted() {
		from.Persist(level)
		m.persisted = from
	}
	return from, nil
}

// Close ends workers that stayed, releases data that fits kept for later ones, and removes exported files unless
// KeepExported is set.
func (m *TrainingMaster) Close() error {
	m.staying.dismiss()
	if m.persisted != nil {
		m.persisted.Unpersist()
		m.persisted = nil
	}
	return m.base.Close()
}
