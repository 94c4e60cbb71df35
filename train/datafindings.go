package train

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/internal/datacheck"
)

// mostRead is the size, in bytes, up to which data is read once more for samples if only workers read it.
const mostRead = 256 << 20

// examine adds likely mistakes in the data to the settings, of which [stats.Run.Hints] makes hints.
func (l *learning) examine(ctx context.Context, settings map[string]string) {
	c := l.of.conf
	held := c.HeldOut
	if c.OverfitBatches > 0 { // they are the training examples on purpose
		held = nil
	}
	f := datacheck.Look(c.Data, held, c.Normalizer, func(s source.Source, most int) *data.MultiDataSet {
		return l.sample(ctx, s, most)
	})
	if f.Repeated > 0 {
		settings["held-out examples in training"] = percent(f.Repeated)
	}
	if f.Telling != "" {
		settings["column that tells the label"] = f.Telling
	}
	if f.Missing != "" {
		settings["class shares that differ"] = fmt.Sprintf("%s is %s of the training examples and %s of the held-out "+
			"examples", f.Missing, percent(f.MissingTrained), percent(f.MissingHeld))
	}
	if f.Sorted {
		settings["minibatches by class"] = "one class each"
	}
	what, of := "labels", f.Labels
	if of.Spread < f.Features.Spread {
		what, of = "features", f.Features
	}
	if of.Spread > 0 {
		settings["large numbers"] = fmt.Sprintf("column %s of the %s has a mean of %.3g and a spread of %.3g", of.Column,
			what, of.Mean, of.Spread)
	}
}

// sample returns examples that the workers read, or nil. Training reports the errors.
func (l *learning) sample(ctx context.Context, s source.Source, most int) *data.MultiDataSet {
	if s.Info().Bytes() > mostRead {
		return nil
	}
	d, err := distributed.Spread(ctx, l.of.engine, s, nil, 0)
	if err != nil {
		return nil
	}
	m, err := distributed.EvenSample(ctx, d, most)
	if err != nil {
		return nil
	}
	return m
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }
