// Package material opens the network, the training data and the held-out data of a run of training, prepares them, and
// checks that they fit together. Errors name flags.
package material

import (
	"context"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/workplace"
	"github.com/dl4go/dl4go/train"
)

// Settings name the network and the data. They are the values of flags.
type Settings struct {
	Model      string // empty: by the data; Open sets it
	Data, Test string
	Seed       int64  // Open sets it to the network's
	Normalize  string // standardize or minmax; empty: as the model says

	NoNormalizer, ByPosition bool

	Wish    modelfile.Wish
	Columns Columns
}

// Material is the network and the data of a run.
type Material struct {
	*Settings
	Place *workplace.Place
	Out   *console.Output // shows how the data is prepared
	From  *train.Resumed  // the run that goes on; nil: a new one

	Network    *modelfile.Opened
	Train      source.Source
	HeldOut    source.Source // nil if there is no held-out data
	Normalizer string        // describes how features are normalized; empty if they are not
}

// Open opens the network and the data. With seeded, Settings.Seed replaces the seed of the network.
func (m *Material) Open(ctx context.Context, seeded bool) error {
	spec, test := m.Data, m.Test
	if m.Columns.Settings.Split == (prepare.Split{}) {
		spec, test = source.Halves(spec, test)
	}
	var seed *int64
	if seeded {
		seed = &m.Seed
	}
	if err := m.openModel(ctx, seed); err != nil {
		return err
	}
	prepared, err := m.openTrain(ctx, spec)
	if err != nil {
		return err
	}
	schema := m.known().With(m.Train.Info().Schema) // its own names, and the training data's if it has none
	if err := m.openTest(ctx, test, schema); err != nil {
		return err
	}
	info := m.Train.Info()
	if len(info.Labels) == 0 {
		return fmt.Errorf("--data: %s has no labels to train by", info.Name)
	}
	if m.Model == "" {
		m.Model = modelfile.Usual(info)
	}
	if m.Network == nil {
		if m.Network, err = workplace.OpenWished(ctx, m.Out, m.Model, info, seed, m.Wish); err != nil {
			return err
		}
	}
	if !m.ByPosition && m.Network.Trained && m.From == nil {
		m.Out.Lines(modelfile.Positions(m.Network.Schema(), info))
	}
	if err := m.Network.SetSchema(schema); err != nil {
		m.Out.Warn("the model is saved without names of columns and classes: %v", err)
	}
	m.Seed = m.Network.Seed
	if prepared != nil {
		return modelfile.SetPreparation(m.Network.Network, prepared.Preparation)
	}
	return nil
}

// openModel opens the network before the data, if it does not depend on the data.
func (m *Material) openModel(ctx context.Context, seed *int64) (err error) {
	switch {
	case m.From != nil:
		if m.Network, err = modelfile.FromNetwork(m.From.Network, m.Model, m.Seed); err != nil {
			m.Network = nil
			return fmt.Errorf("--resume %s: %w", m.From.Dir(), err)
		}
	case m.Model != "" && !modelfile.MadeForData(ctx, m.Model):
		m.Network, err = workplace.OpenWished(ctx, m.Out, m.Model, source.Info{}, seed, m.Wish)
	}
	return err
}

// known returns the names in the model with which training begins; nil if there are none.
func (m *Material) known() *data.Schema {
	if m.Network == nil || m.ByPosition {
		return nil
	}
	return m.Network.Schema()
}

// openTrain opens the training data, and the data held out of it. It returns nil if the data goes through no pipeline.
func (m *Material) openTrain(ctx context.Context, spec string) (*prepare.Result, error) {
	prepared, err := m.openPrepared(ctx, spec)
	if err != nil {
		return nil, err
	}
	if prepared == nil {
		return nil, m.openPlain(ctx, spec)
	}
	m.keepPreparation(prepared)
	m.Train = prepared.Train
	if prepared.HeldOut != nil {
		m.HeldOut = prepared.HeldOut
	}
	return prepared, nil
}

// openPlain opens data that goes through no pipeline.
func (m *Material) openPlain(ctx context.Context, spec string) (err error) {
	m.Train, err = m.Place.OpenData(ctx, "data", spec, m.known())
	if err != nil || !m.Columns.parts() {
		return err
	}
	n, _ := m.Place.Data.Name("data", spec) // OpenData has checked it
	s, held := m.Columns.Settings, source.Source(nil)
	m.Train, held, err = prepare.Part(ctx, m.Train, n, s.Split, s.Sample, m.Seed)
	if held != nil {
		m.HeldOut = held
	}
	return err
}

// openTest opens the data that --test names, if it names any.
func (m *Material) openTest(ctx context.Context, test string, schema *data.Schema) (err error) {
	if test == "" || test == "none" {
		return nil
	}
	if m.ByPosition {
		schema = nil
	}
	m.HeldOut, err = m.Place.OpenData(ctx, "test", test, schema)
	return err
}
