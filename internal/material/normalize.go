package material

import (
	"context"
	"fmt"

	library "github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/usage"
)

// Examine decides how features are normalized, and checks that the data fits the network.
func (m *Material) Examine(ctx context.Context) error {
	if err := m.normalizer(m.Train.Info()); err != nil {
		return err
	}
	if err := m.Place.Examine(ctx, "data", m.Data, m.Train, m.Network, true); err != nil {
		return err
	}
	if m.HeldOut == nil {
		return nil
	}
	return m.Place.Examine(ctx, "test", m.Test, m.HeldOut, m.Network, true)
}

// normalizer determines the normalization of features.
func (m *Material) normalizer(info source.Info) error {
	switch {
	case m.From != nil && m.Network.Normalizer != nil:
		m.Normalizer = "as the run began"
	case m.From != nil:
	case m.Normalize != "" && m.Network.Normalizer != nil:
		return usage.Errorf("--normalize: %s has a normalizer already; --no-normalizer leaves it aside", m.Model)
	case m.NoNormalizer:
		m.Network.Normalizer = nil
		m.Network.SetNormalizer(nil)
	case m.Normalize != "":
		of := source.Info{Features: info.Features} // without labels, which stay in their own unit
		fit := library.MinMax(of)
		if m.Normalize == "standardize" {
			fit = library.Standardize(of)
		}
		if err := modelfile.FitNormalizer(m.Network.Network, fit, m.Train); err != nil {
			return fmt.Errorf("--normalize: %w", err)
		}
		m.Network.Normalizer = fit
		m.Normalizer = "--normalize " + m.Normalize + ", fitted on the training data and saved in the model"
	case info.Task == source.Regression && m.Network.Normalizer == nil:
		fit, err := prepare.ScaleLabels(m.Network.Network, m.Train)
		if err != nil {
			return fmt.Errorf("--data: %w", err)
		}
		m.Network.Normalizer = fit
		m.Normalizer = "labels standardised for training; predictions are in their own unit"
	case m.Network.Normalizer != nil:
		m.Normalizer = "the model's normalizer (--no-normalizer leaves it aside)"
	}
	return nil
}
