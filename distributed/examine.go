package distributed

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn"
)

// Examination has the settings of [Examine].
type Examination struct {
	Network    *nn.Network
	Title      string          // name of the network for messages
	Normalizer data.Normalizer // for the features; nil if there is none
	Unlabelled bool            // the data needs no labels
}

// ErrUnlabelled is the error of data without labels.
var ErrUnlabelled = errors.New("there are no labels")

// Examine checks that data fits a network. It reads every file, and looks for numbers that are not finite. One example
// of a table is enough: its examples have the same shapes, and their numbers were checked when the table was opened. Of
// data on other machines, it checks samples: see [source.Sampled]. Errors name the data or the file.
func Examine(ctx context.Context, s source.Source, x Examination) error {
	if sampled, ok := s.(source.Sampled); ok {
		return x.samples(s.Info().Name, sampled.Samples())
	}
	objects := s.Objects()
	if source.Single(s) {
		objects = min(1, objects)
	}
	files, _ := s.(source.Files)
	for i := range objects {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		m, err := s.Object(i)
		if err != nil {
			return err
		}
		place := s.Info().Name
		if files != nil {
			place = files.Paths()[i]
		}
		if err := x.Example(m); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

func (x Examination) samples(name string, samples []source.Sample) error {
	for _, s := range samples {
		place := s.From
		if place == "" {
			place = name
		}
		if err := x.Example(s.Example.Clone()); err != nil {
			return fmt.Errorf("%s: %w", place, err)
		}
	}
	return nil
}

// Example checks that a minibatch fits the network, and that its numbers are finite. It may change the minibatch.
func (x Examination) Example(m *data.MultiDataSet) error {
	if err := m.CheckFinite(); err != nil {
		return err
	}
	if !x.Unlabelled && len(m.Labels) == 0 {
		return ErrUnlabelled
	}
	if x.Unlabelled {
		m.Labels, m.LabelMasks = nil, nil
	}
	if x.Normalizer != nil {
		if err := x.Normalizer.Transform(m); err != nil {
			return err
		}
	}
	if err := x.Network.Check(m); err != nil {
		return fmt.Errorf("the data does not fit the network %s: %w", x.Title, err)
	}
	return nil
}
