package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// SameDiff has the settings of the layers that Deeplearning4j implements with its class SameDiff. Files have other
// names for them than for those of [Base]. Nil and zero fields take the network's defaults.
//
// Deeplearning4j doubles the gradients of such layers and of all layers below them; here they are the loss's
// gradients.
type SameDiff struct {
	// Name is shown in messages and summaries; "layer0" and so on if it is empty.
	Name string `dl4j:"layerName,zeronull"`
	// Dropout is applied to the layer's input in training; nil means the network's dropout.
	Dropout regularization.Dropout `dl4j:"idropout"`
	// WeightInit is a name of Deeplearning4j's enum WeightInit; XAVIER if it is empty.
	WeightInit string `dl4j:"weightInit,zeronull"`

	Updater     updater.Updater `dl4j:"updater"`
	BiasUpdater updater.Updater `dl4j:"biasUpdater"` // nil: Updater
	// Regularization of the weights. Nil means the network's regularization. So does an empty list, except in a file.
	Regularization     []regularization.Regularization `dl4j:"regularization"`
	RegularizationBias []regularization.Regularization `dl4j:"regularizationBias"`

	GradientNormalization          GradientNormalization `dl4j:"gradientNormalization"`
	GradientNormalizationThreshold float64               `dl4j:"gradientNormalizationThreshold"` // 1 by default

	// Constraints limit parameters after each step; their Params name them. Nil means those of the network.
	Constraints []regularization.Constraint `dl4j:"constraints"`
	// ParamWeightInit is always nil: a file with this setting is refused.
	ParamWeightInit *struct{} `dl4j:"paramWeightInit"`
	// LayerParams holds the shapes of the parameters for files; they are computed.
	LayerParams sameDiffParams `dl4j:"layerParams"`
}

// sameDiffParams holds the shapes of weights and of biases by name.
type sameDiffParams struct {
	Bias   dl4j.Map[[]int] `dl4j:"biasParams"`
	Weight dl4j.Map[[]int] `dl4j:"weightParams"`
}

// Settings returns name, dropout and gradient normalisation.
func (s SameDiff) Settings() Settings { return s.base().Settings() }

// base converts the settings that concern parameters to a Base.
func (s SameDiff) base() Base {
	return Base{Name: s.Name, Dropout: s.Dropout, Updater: s.Updater, BiasUpdater: s.BiasUpdater,
		Regularization:     s.Regularization,
		RegularizationBias: s.RegularizationBias, GradientNormalization: s.GradientNormalization,
		GradientNormalizationThreshold: s.GradientNormalizationThreshold, Constraints: s.Constraints}
}

func (s SameDiff) complete(d Defaults) (SameDiff, error) {
	if s.WeightInit == "" {
		s.WeightInit = "XAVIER"
	}
	if _, err := weights.ByName(s.WeightInit); err != nil {
		return s, fmt.Errorf("weightInit: %w", err)
	}
	b := s.base()
	if !d.FromFile && len(b.Regularization) == 0 {
		b.Regularization = nil
	}
	if !d.FromFile && len(b.RegularizationBias) == 0 {
		b.RegularizationBias = nil
	}
	b, err := b.Completed(d)
	if err != nil {
		return s, err
	}
	s.Name, s.Dropout, s.Updater, s.BiasUpdater = b.Name, b.Dropout, b.Updater, b.BiasUpdater
	s.Regularization, s.RegularizationBias = b.Regularization, b.RegularizationBias
	s.GradientNormalization, s.GradientNormalizationThreshold = b.GradientNormalization, b.GradientNormalizationThreshold
	return s, nil
}

// onSameDiff marks these layers.
func (SameDiff) onSameDiff() {}

// Scored reports whether the regularisation of a layer's parameters is part of the score. For layers with the settings
// of [SameDiff], it is only part of the update, as in Deeplearning4j.
func Scored(l Layer) bool {
	_, no := l.(interface{ onSameDiff() })
	return !no
}

// CheckWeights returns an error for a parameter that weightInit cannot fill: identities need square matrices.
func (s SameDiff) CheckWeights(ps []Param) error {
	init, err := weights.ByName(s.WeightInit)
	if err != nil {
		return fmt.Errorf("weightInit: %w", err)
	}
	for _, p := range ps {
		if p.Kind != Weight {
			continue
		}
		err := init.Validate(p.Shape)
		if _, ok := init.(weights.Identity); ok && err == nil && len(p.Shape) != 2 {
			err = fmt.Errorf("identity weights are matrices")
		}
		if err != nil {
			return fmt.Errorf("weightInit %s: %s, of the shape %v: %w", s.WeightInit, p.Name, p.Shape, err)
		}
	}
	return nil
}

// CompleteSameDiff fills in open settings of s, for vertices with such settings.
func CompleteSameDiff(s SameDiff, d Defaults) (SameDiff, error) { return s.complete(d) }

// withParams stores the shapes of parameters in LayerParams.
func (s SameDiff) withParams(ps []Param) SameDiff {
	s.LayerParams = sameDiffParams{}
	for _, p := range ps {
		if p.Kind == Bias {
			s.LayerParams.Bias.Set(p.Name, p.Shape)
		} else {
			s.LayerParams.Weight.Set(p.Name, p.Shape)
		}
	}
	return s
}

// weight returns a weight in 'c' order.
func (s SameDiff) weight(name string, fan weights.FanInOut, shape ...int) Param {
	init, _ := weights.ByName(s.WeightInit)
	return s.base().Weight(Param{Name: name, Shape: shape, Order: 'c', Init: Drawn(init, shape, fan)})
}

// sameDiffActivation returns the activation of that name in Deeplearning4j's enum.
func sameDiffActivation(name string) (activation.Activation, error) {
	a, err := activation.ByName(name)
	if err != nil {
		return nil, fmt.Errorf("activation: %w", err)
	}
	return a, nil
}
