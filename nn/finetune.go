package nn

import (
	"reflect"
	"slices"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// FineTune holds settings that replace those of every layer and are the defaults of new layers (Deeplearning4j:
// FineTuneConfiguration). A nil, zero or empty setting changes nothing. Settings apply to the layers that derive from
// BaseLayer in Deeplearning4j: those with parameters, those with losses, and recurrent ones. In a layer around another
// one, they apply to the inner layer. Deeplearning4j differs: it leaves inner layers unchanged.
//
// Deeplearning4j's maxNumLineSearchIterations, stepFunction, cudnnAlgoMode, workspace modes, pretrain and backprop
// have no effect here. optimizationAlgo and minimize have only one possible value.
type FineTune struct {
	// Activation applies to output layers too, as in Deeplearning4j.
	Activation activation.Activation
	// WeightInit and BiasInit only matter where parameters are drawn.
	WeightInit weights.Init
	BiasInit   *float64

	Updater, BiasUpdater updater.Updater
	// Regularization applies to weights, RegularizationBias to biases; an empty list removes all.
	Regularization, RegularizationBias []regularization.Regularization
	// Without lists kinds of regularization to remove, as values such as regularization.L2{} (Deeplearning4j: l2(0)).
	Without, WithoutBias []regularization.Regularization

	Dropout       regularization.Dropout
	NoDropout     bool
	WeightNoise   regularization.Noise
	NoWeightNoise bool
	// Constraints replace those of each layer; an empty list removes all. Constraints without parameter names apply to
	// all parameters.
	Constraints []regularization.Constraint

	GradientNormalization layer.GradientNormalization
	// GradientNormalizationThreshold changes nothing if it is 0.
	GradientNormalizationThreshold float64
	// ConvolutionMode applies to convolutions, and to poolings of images and sequences.
	ConvolutionMode layer.ConvolutionMode

	// Seed is the seed of the new network.
	Seed *int64
	// SumGradients replaces the configuration's SumGradients (Deeplearning4j: the opposite of miniBatch).
	SumGradients *bool

	BackpropType                        BackpropType
	TBPTTForwardLength, TBPTTBackLength int

	edit func(*layer.Base) // edits the result of the other settings; nil for none
}

// apply returns the layer with the settings applied.
func (f *FineTune) apply(l layer.Layer) (layer.Layer, error) {
	return layer.Edit(l, func(p layer.Parts) {
		if f.Constraints != nil && p.Constraints != nil {
			*p.Constraints = nil
			for _, c := range f.Constraints {
				if len(c.On().Params) == 0 {
					c = c.Of(p.Params...)
				}
				*p.Constraints = append(*p.Constraints, c)
			}
		}
		if f.ConvolutionMode != "" && p.Mode != nil {
			*p.Mode = f.ConvolutionMode
		}
		if f.Activation != nil && p.Activation != nil {
			*p.Activation = f.Activation
		}
		if p.Base != nil {
			f.base(p.Base)
		}
	})
}

// base applies the settings of layers with parameters.
func (f *FineTune) base(b *layer.Base) {
	if f.WeightInit != nil {
		b.WeightInit = f.WeightInit
	}
	if f.BiasInit != nil {
		b.BiasInit = *f.BiasInit
	}
	if f.Updater != nil {
		b.Updater = f.Updater
	}
	if f.BiasUpdater != nil {
		b.BiasUpdater = f.BiasUpdater
	}
	if f.Regularization != nil {
		b.Regularization = f.Regularization
	}
	if f.RegularizationBias != nil {
		b.RegularizationBias = f.RegularizationBias
	}
	b.Regularization = lessKinds(b.Regularization, f.Without)
	b.RegularizationBias = lessKinds(b.RegularizationBias, f.WithoutBias)
	if f.Dropout != nil || f.NoDropout {
		b.Dropout = f.Dropout
	}
	if f.WeightNoise != nil || f.NoWeightNoise {
		b.WeightNoise = f.WeightNoise
	}
	if f.GradientNormalization != "" {
		b.GradientNormalization = f.GradientNormalization
	}
	if f.GradientNormalizationThreshold != 0 {
		b.GradientNormalizationThreshold = f.GradientNormalizationThreshold
	}
	if f.edit != nil {
		f.edit(b)
	}
}

// lessKinds returns the list without the elements of these kinds.
func lessKinds(list, kinds []regularization.Regularization) []regularization.Regularization {
	return slices.DeleteFunc(slices.Clone(list), func(r regularization.Regularization) bool {
		return slices.ContainsFunc(kinds,
			func(k regularization.Regularization) bool { return reflect.TypeOf(k) == reflect.TypeOf(r) })
	})
}

// defaults changes the settings of the network and the defaults of its new layers.
func (f *FineTune) defaults(c *Configuration) {
	if f.Seed != nil {
		c.Seed = *f.Seed
	}
	if f.SumGradients != nil {
		c.SumGradients = *f.SumGradients
	}
	if f.BackpropType != "" {
		c.BackpropType = f.BackpropType
	}
	if f.TBPTTForwardLength != 0 {
		c.TBPTTForwardLength = f.TBPTTForwardLength
	}
	if f.TBPTTBackLength != 0 {
		c.TBPTTBackLength = f.TBPTTBackLength
	}
	b := layer.Base{WeightInit: c.WeightInit, BiasInit: c.BiasInit, Updater: c.Updater, BiasUpdater: c.BiasUpdater,
		Regularization: c.Regularization, RegularizationBias: c.RegularizationBias, Dropout: c.Dropout,
		WeightNoise:           c.WeightNoise,
		GradientNormalization: c.GradientNormalization, GradientNormalizationThreshold: c.GradientNormalizationThreshold}
	f.base(&b)
	c.WeightInit, c.BiasInit, c.Updater, c.BiasUpdater = b.WeightInit, b.BiasInit, b.Updater, b.BiasUpdater
	c.Regularization, c.RegularizationBias = b.Regularization, b.RegularizationBias
	c.Dropout, c.WeightNoise = b.Dropout, b.WeightNoise
	c.GradientNormalization, c.GradientNormalizationThreshold = b.GradientNormalization, b.GradientNormalizationThreshold
	if f.Activation != nil {
		c.Activation = f.Activation
	}
	if f.ConvolutionMode != "" {
		c.ConvolutionMode = f.ConvolutionMode
	}
	if f.Constraints != nil {
		c.Constraints, c.WeightConstraints, c.BiasConstraints = f.Constraints, nil, nil
	}
}
