package layer

import (
	"errors"
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/nn/weights"
)

// GradientNormalization changes a layer's gradient of the mean loss, before regularisation and updater.
type GradientNormalization string

// The gradient normalisations. They use the gradient of all parameters of a layer, including batch normalisation's
// statistics. t is the threshold.
const (
	NoNormalization         GradientNormalization = "None"
	RenormalizeL2PerLayer   GradientNormalization = "RenormalizeL2PerLayer"        // g/‖g‖ for the whole layer
	RenormalizeL2PerParam   GradientNormalization = "RenormalizeL2PerParamType"    // g/‖g‖ for each parameter
	ClipElementWiseAbsolute GradientNormalization = "ClipElementWiseAbsoluteValue" // each element held within ±t
	ClipL2PerLayer          GradientNormalization = "ClipL2PerLayer"               // g·t/‖g‖ where ‖g‖ > t
	ClipL2PerParam          GradientNormalization = "ClipL2PerParamType"           // the same for each parameter
)

// Defaults are the network's settings for fields that its layers leave open.
type Defaults struct {
	FromFile                       bool   // the layer comes from a file: fill in only fields that files do not have
	Name                           string // the name of a layer without one
	Activation                     activation.Activation
	WeightInit                     weights.Init
	BiasInit                       float64
	Updater                        updater.Updater
	BiasUpdater                    updater.Updater
	Regularization                 []regularization.Regularization
	RegularizationBias             []regularization.Regularization
	Dropout                        regularization.Dropout
	GradientNormalization          GradientNormalization
	GradientNormalizationThreshold float64
	ConvolutionMode                ConvolutionMode
	WeightNoise                    regularization.Noise
	// Constraints apply to all parameters; the others to weights and to biases. Their own parameter names are ignored.
	Constraints, WeightConstraints, BiasConstraints []regularization.Constraint
}

// Settings are the properties of a layer that the network uses.
type Settings struct {
	Name                           string
	Dropout                        regularization.Dropout // of the layer's inputs; nil for none
	GradientNormalization          GradientNormalization
	GradientNormalizationThreshold float64
}

// Bare holds the settings of layers without parameters.
type Bare struct {
	// Name is shown in messages and summaries; "layer0" and so on if it is empty.
	Name string `dl4j:"layerName,zeronull"`
	// Dropout is applied to the layer's input in training; nil means the network's dropout.
	Dropout regularization.Dropout `dl4j:"idropout"`

	Constraints                    []regularization.Constraint `dl4j:"constraints"`
	GradientNormalization          GradientNormalization       `dl4j:"gradientNormalization"`
	GradientNormalizationThreshold float64                     `dl4j:"gradientNormalizationThreshold"`
}

// Settings returns name and dropout.
func (b Bare) Settings() Settings { return Settings{Name: b.Name, Dropout: b.Dropout} }

// Params is empty.
func (b Bare) Params() []Param { return nil }

// Preprocessor returns nil: none is needed.
func (b Bare) Preprocessor(inputtype.Type) Preprocessor { return nil }

// Completed fills in open settings from the network's defaults. A layer's Complete calls it first.
func (b Bare) Completed(d Defaults) Bare {
	if b.GradientNormalization == "" {
		b.GradientNormalization = NoNormalization
	}
	if b.Dropout == nil && !d.FromFile {
		b.Dropout = d.Dropout
	}
	if b.Name == "" {
		b.Name = d.Name
	}
	return b
}

// Base holds the settings of layers with parameters. Nil and zero fields take the network's defaults.
type Base struct {
	// Name is shown in messages and summaries; "layer0" and so on if it is empty.
	Name string `dl4j:"layerName,zeronull"`
	// Dropout is applied to the layer's input in training; nil means the network's dropout.
	Dropout regularization.Dropout `dl4j:"idropout"`

	WeightInit weights.Init `dl4j:"weightInitFn"`
	BiasInit   float64      `dl4j:"biasInit"`
	// GainInit is the initial gain of layer normalisation; 1 if it is 0.
	GainInit float64 `dl4j:"gainInit"`

	Updater     updater.Updater `dl4j:"iupdater"`
	BiasUpdater updater.Updater `dl4j:"biasUpdater"` // nil: Updater
	// Regularization of the weights. Nil means the network's regularization, an empty list none.
	Regularization     []regularization.Regularization `dl4j:"regularization"`
	RegularizationBias []regularization.Regularization `dl4j:"regularizationBias"`

	GradientNormalization          GradientNormalization `dl4j:"gradientNormalization"`
	GradientNormalizationThreshold float64               `dl4j:"gradientNormalizationThreshold"` // 1 by default

	// Constraints limit parameters after each step; their Params name them. Nil means those of the network.
	Constraints []regularization.Constraint `dl4j:"constraints"`
	// WeightNoise changes the weights that the layer sees in training; nil means the network's noise.
	WeightNoise regularization.Noise `dl4j:"weightNoise"`
	// TimeDistributedFormat is the format in which Deeplearning4j passes sequences from recurrent layers to this
	// layer: NCW, NWC or "".
	TimeDistributedFormat string `dl4j:"timeDistributedFormat,zeronull"`
}

// Settings returns name, dropout and gradient normalisation.
func (b Base) Settings() Settings {
	return Settings{b.Name, b.Dropout, b.GradientNormalization, b.GradientNormalizationThreshold}
}

// Completed fills in open settings from the network's defaults, and checks them. A layer's Complete calls it first.
func (b Base) Completed(d Defaults) (Base, error) {
	if b.GradientNormalization == "" {
		b.GradientNormalization = d.GradientNormalization
	}
	if !d.FromFile {
		if b.GradientNormalizationThreshold == 0 {
			b.GradientNormalizationThreshold = d.GradientNormalizationThreshold
		}
		if b.GainInit == 0 {
			b.GainInit = 1
		}
		if b.BiasInit == 0 {
			b.BiasInit = d.BiasInit
		}
		if b.BiasUpdater == nil {
			b.BiasUpdater = d.BiasUpdater
		}
		if b.Dropout == nil {
			b.Dropout = d.Dropout
		}
		if b.WeightNoise == nil {
			b.WeightNoise = d.WeightNoise
		}
	}
	if b.Name == "" {
		b.Name = d.Name
	}
	if b.WeightInit == nil {
		b.WeightInit = d.WeightInit
	}
	if b.Updater == nil {
		b.Updater = d.Updater
	}
	b.Updater, b.BiasUpdater = updater.Complete(b.Updater), updater.Complete(b.BiasUpdater)
	if b.Regularization == nil {
		b.Regularization = append([]regularization.Regularization{}, d.Regularization...)
	}
	if b.RegularizationBias == nil {
		b.RegularizationBias = append([]regularization.Regularization{}, d.RegularizationBias...)
	}
	return b, b.validate()
}

func (b Base) validate() error {
	switch b.GradientNormalization {
	case NoNormalization, RenormalizeL2PerLayer, RenormalizeL2PerParam:
	case ClipElementWiseAbsolute, ClipL2PerLayer, ClipL2PerParam:
		if t := b.GradientNormalizationThreshold; !(t > 0) || math.IsInf(t, 0) {
			return fmt.Errorf("gradientNormalizationThreshold is %g: it must be positive", t)
		}
	default:
		return fmt.Errorf("gradientNormalization %q is unknown", b.GradientNormalization)
	}
	if math.IsNaN(b.BiasInit) || math.IsInf(b.BiasInit, 0) {
		return fmt.Errorf("biasInit is %g", b.BiasInit)
	}
	err := b.Updater.Validate()
	if b.WeightNoise != nil {
		err = errors.Join(err, b.WeightNoise.Validate())
	}
	for _, c := range b.Constraints {
		if c == nil {
			return fmt.Errorf("a constraint is null")
		}
		err = errors.Join(err, c.Validate())
	}
	if b.BiasUpdater != nil {
		err = errors.Join(err, b.BiasUpdater.Validate())
	}
	for _, list := range [][]regularization.Regularization{b.Regularization, b.RegularizationBias} {
		for _, r := range list {
			if r == nil {
				return fmt.Errorf("a regularization is null")
			}
			err = errors.Join(err, r.Validate())
		}
	}
	return err
}

// positive reports sizes below 1.
func positive(nIn, nOut int) error {
	if nIn < 1 {
		return fmt.Errorf("nIn is %d: it must be positive; set it, or the network's input type", nIn)
	}
	if nOut < 1 {
		return fmt.Errorf("nOut is %d; set it to the number of outputs (an output layer: of classes)", nOut)
	}
	return nil
}
