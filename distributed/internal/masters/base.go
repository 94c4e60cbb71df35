package masters

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/resident"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
)

// Base is the common part of the training masters. One goroutine at a time uses it.
type Base struct {
	Way
	Settings
	Options
	Times     *stats.Collector // nil unless CollectTrainingStats is set
	Weighting data.Weighting
	From      *distributed.Place // where the next fit begins; nil: at the beginning

	ready prepared
}

// New checks settings and options. step is the default of Timing.Step.
func New(w Way, s Settings, o Options, step time.Duration) (*Base, error) {
	if err := s.Validate(w); err != nil {
		return nil, err
	}
	o, err := o.withDefaults(step)
	if err != nil {
		return nil, err
	}
	b := &Base{Way: w, Settings: s, Options: o}
	if !s.CollectTrainingStats {
		if o.Time != (stats.TimeSource{}) {
			return nil, w.Errorf("Time is of the statistics, and CollectTrainingStats is not set")
		}
		return b, nil
	}
	clock, err := o.Time.Start()
	if err != nil {
		return nil, w.Errorf("%w", err)
	}
	b.Times = stats.NewBy("master", clock)
	return b, nil
}

// Warn logs warnings.
func (b *Base) Warn(all []string) {
	for _, w := range all {
		b.Log.Warn(w)
	}
}

// Fit does the work that is common to all fits. It calls fit, which returns the number of examples that it trained. If
// the fit changed no parameter, unmoved returns the reason, or "" if it knows none.
func (b *Base) Fit(net *nn.Network, fit func() (examples int, err error), unmoved func() string) error {
	end := b.Times.Begin(stats.MasterFit)
	before := slices.Clone(net.Params())
	examples, err := fit()
	if err != nil {
		return err
	}
	if examples > 0 { // a resumed fit may have had nothing left
		distributed.WarnUnmoved(b.Log, before, net.Params(), unmoved())
	}
	end(examples)
	b.Times.Tell(b.Log)
	return nil
}

// Counts returns the numbers of examples in the data's partitions.
func (b *Base) Counts(ctx context.Context, d *distributed.Data) (counts []int, err error) {
	end := b.Times.Begin(stats.MasterCount)
	all, err := d.Counts(ctx)
	if err != nil {
		return nil, err
	}
	end(0)
	for _, n := range all {
		counts = append(counts, int(n))
	}
	return counts, nil
}

// Probe checks that the workers of an engine can reach the coordinator.
func (b *Base) Probe(ctx context.Context, e engine.Engine, coordinator distributed.Residents) error {
	defer b.Times.Begin(stats.MasterProbe)(0)
	return resident.Probe(ctx, e, coordinator, b.Transport, b.Log)
}

// Plan returns the part of a job of resident workers that is common to the masters.
func (b *Base) Plan(e engine.Engine, coordinator distributed.Residents) resident.Plan {
	return resident.Plan{Name: string(b.Way), Engine: e, Transport: b.Transport, Network: coordinator, Log: b.Log,
		Config: coordination.Config{Timing: coordination.Timing(b.Timing)}}
}

// Attend runs f. If f panics, as a listener may, Attend ends the workers by stop, and lets the panic go on to the
// caller.
func Attend(stop func(cause error) error, f func() error) error {
	whole := false
	defer func() {
		if !whole {
			stop(errors.New("a listener of the fit has panicked"))
		}
	}()
	err := f()
	whole = true
	return err
}
