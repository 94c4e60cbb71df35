// Package nn builds, trains, applies and saves neural networks.
//
// A [Configuration] describes a stack of layers, a [GraphConfiguration] a graph of them. [New] and [NewGraph] make a
// [MultiLayer] or a [Graph]. Parameters are one flat vector, in Deeplearning4j's order. [MultiLayer.Fit] trains step by
// step, [MultiLayer.Output] computes predictions, and a predictor, of package serve, serves them to many goroutines.
// [MultiLayer.Save], [Load] and [LoadNetwork] write and read Deeplearning4j's model files.
//
// A network is lowered to programs of tensor operations (package program), once for each shape of its inputs. Only one
// goroutine may use it at a time.
package nn

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// Configuration describes a MultiLayer network (Deeplearning4j: NeuralNetConfiguration and MultiLayerConfiguration). A
// layer's setting that is nil or zero takes its value from here. If it is nil or zero here, too, Deeplearning4j's
// default applies.
type Configuration struct {
	// Seed seeds the initial parameters of [New] and the draws of training masters; 0 is a seed, too.
	Seed int64

	Activation                     activation.Activation           // sigmoid
	WeightInit                     weights.Init                    // Xavier
	BiasInit                       float64                         // 0
	Updater                        updater.Updater                 // Sgd, 0.001
	BiasUpdater                    updater.Updater                 // the updater of the weights
	Regularization                 []regularization.Regularization // of weights; none
	RegularizationBias             []regularization.Regularization // of biases; none
	Dropout                        regularization.Dropout          // of every layer's input; none
	GradientNormalization          layer.GradientNormalization     // none
	GradientNormalizationThreshold float64                         // 1
	ConvolutionMode                layer.ConvolutionMode           // Truncate
	WeightNoise                    regularization.Noise            // of every layer that has weights; none

	// Constraints apply to all parameters of every layer after each step, WeightConstraints to weights, and
	// BiasConstraints to biases. A layer with constraints of its own keeps only those.
	Constraints, WeightConstraints, BiasConstraints []regularization.Constraint

	Layers []layer.Layer
	// InputType lets New infer the layers' nIn and the preprocessors. Without it, each layer needs its nIn.
	InputType inputtype.Type
	// Preprocessors run before the layers with these indices. Those that InputType requires are added.
	Preprocessors map[int]layer.Preprocessor

	// BackpropType TruncatedBPTT trains sequences in segments of TBPTTForwardLength steps. Within a segment, the
	// gradients of recurrent layers go back TBPTTBackLength steps. Both lengths are 20 if they are 0.
	BackpropType                        BackpropType // Standard
	TBPTTForwardLength, TBPTTBackLength int

	// SumGradients makes gradient and score sums over the minibatch, not means (Deeplearning4j: miniBatch(false)).
	SumGradients bool
	// AnyOutput switches off the check that the loss fits the activation of the output layer (Deeplearning4j:
	// validateOutputLayerConfig(false)).
	AnyOutput bool

	written written
}

// written keeps the settings of a file that have no effect here, so that they can be written again.
type written struct {
	file    bool         // the configuration is from a file
	stay    int          // number of first layers that a transferred network took over: their settings are complete
	kept    map[int]bool // indices of further such layers
	network dl4j.Inert
	layers  []dl4j.Inert
}

func (c *Configuration) defaults() layer.Defaults {
	d := layer.Defaults{
		Activation: c.Activation, WeightInit: c.WeightInit, BiasInit: c.BiasInit,
		Updater: c.Updater, BiasUpdater: c.BiasUpdater,
		Regularization: c.Regularization, RegularizationBias: c.RegularizationBias, Dropout: c.Dropout,
		GradientNormalization: c.GradientNormalization, GradientNormalizationThreshold: c.GradientNormalizationThreshold,
		ConvolutionMode: c.ConvolutionMode, FromFile: c.written.file, WeightNoise: c.WeightNoise,
		Constraints: c.Constraints, WeightConstraints: c.WeightConstraints, BiasConstraints: c.BiasConstraints,
	}
	if d.Activation == nil {
		d.Activation = activation.Sigmoid{}
	}
	if d.WeightInit == nil {
		d.WeightInit = weights.Xavier{}
	}
	if d.Updater == nil {
		d.Updater = updater.NewSgd()
	}
	if d.GradientNormalization == "" {
		d.GradientNormalization = layer.NoNormalization
	}
	if d.GradientNormalizationThreshold == 0 {
		d.GradientNormalizationThreshold = 1
	}
	if d.ConvolutionMode == "" {
		d.ConvolutionMode = layer.Truncate
	}
	return d
}

// Complete returns the configuration with all inferred settings filled in, and checks it. It does not change the
// receiver. If a layer is at fault, the error is a LayerError.
func (c Configuration) Complete() (Configuration, error) { return c.completed(func(inputtype.Type) {}) }

// completed is Complete. It calls see with the input type of each layer.
func (c Configuration) completed(see func(inputtype.Type)) (Configuration, error) {
	if len(c.Layers) == 0 {
		return c, fmt.Errorf("the network has no layers")
	}
	pre := map[int]layer.Preprocessor{}
	for i, p := range c.Preprocessors {
		if i < 0 || i >= len(c.Layers) {
			return c, fmt.Errorf("a preprocessor stands before layer %d; the layers are 0 to %d", i, len(c.Layers)-1)
		}
		pre[i] = p
	}
	if err := c.completeBackprop(); err != nil {
		return c, err
	}
	d := c.defaults()
	t := c.firstType()
	layers := make([]layer.Layer, len(c.Layers))
	for i, l := range c.Layers {
		if l == nil {
			return c, fmt.Errorf("layer %d is nil", i)
		}
		fail := func(err error) (Configuration, error) {
			name := l.Settings().Name
			if name == "" {
				name = fmt.Sprintf("layer%d", i)
			}
			return c, &LayerError{i, name, err}
		}
		if t.Kind != inputtype.Unknown {
			if p := l.Preprocessor(t); p != nil && pre[i] == nil {
				pre[i] = p
			}
			if p := pre[i]; p != nil {
				var err error
				if t, err = p.OutputType(t); err != nil {
					return fail(err)
				}
			}
		}
		d.Name = fmt.Sprintf("layer%d", i)
		d.FromFile = c.written.file || i < c.written.stay || c.written.kept[i]
		in := []inputtype.Type{t}
		see(t)
		completed, err := layer.Complete(l, d, in)
		if err != nil {
			return fail(err)
		}
		l = completed
		layers[i] = l
		if s, ok := l.(layer.Scorer); ok && !c.AnyOutput && !c.written.file { // Deeplearning4j checks new ones only
			if err := s.CheckLoss(); err != nil {
				return fail(fmt.Errorf("%w (AnyOutput switches this check off)", err))
			}
		}
		if dr := l.Settings().Dropout; dr != nil {
			if err := dr.Validate(); err != nil {
				return fail(err)
			}
		}
		if t.Kind != inputtype.Unknown {
			out, err := l.OutputType(in)
			if err != nil {
				return fail(err)
			}
			t = out.Over(t)
		}
	}
	c.Layers, c.Preprocessors = layers, pre
	return c, nil
}

// firstType returns the input type, or as much of it as the first layer reveals.
func (c *Configuration) firstType() inputtype.Type {
	if c.InputType.Kind != inputtype.Unknown {
		return c.InputType
	}
	return typeInto(c.Preprocessors[0], c.Layers[0])
}

// typeInto returns as much of an input type as a layer, or the preprocessor before it, reveals.
func typeInto(pre layer.Preprocessor, into layer.Layer) inputtype.Type {
	switch p := pre.(type) {
	case layer.ComposablePreprocessor:
		if len(p.Preprocessors) > 0 {
			return typeInto(p.Preprocessors[0], into)
		}
	case layer.FeedForwardToRnn:
		return inputtype.FeedForward(layer.InputOf(into).Size)
	case layer.CnnToRnn:
		return inputtype.Convolutional(p.Height, p.Width, p.Channels)
	case layer.RnnToCnn:
		return inputtype.Type{Kind: inputtype.RecurrentKind, Size: p.Height * p.Width * p.Channels, Format: p.Format}
	case layer.FeedForwardToCnn:
		return inputtype.ConvolutionalFlat(p.Height, p.Width, p.Channels)
	case layer.CnnToFeedForward:
		t := inputtype.Convolutional(p.Height, p.Width, p.Channels)
		t.ChannelsLast = p.Format == "NHWC"
		return t
	}
	return layer.InputOf(into)
}
