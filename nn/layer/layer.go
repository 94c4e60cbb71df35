// Package layer has the layers of networks. A layer is a plain configuration struct. It reads and writes
// Deeplearning4j's JSON, knows its parameters, and emits its forward formula as operations of a program. The gradient
// follows from that.
//
// A new layer takes one file with the struct and its methods, a test, and one line that registers its class. Other
// modules add layers the same way.
package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Layer is a layer's configuration. Implementations are structs passed by value, and no method changes its receiver.
//
// A layer with parameters embeds [Base], one without embeds [Bare]. Both have a Settings method, and Base.Completed
// and Bare.Completed fill the fields that all layers have. Fields with a dl4j tag are stored in files; package dl4j
// explains the tags. Fields NIn and NOut of type int are the sizes that transfer learning replaces. A layer that wraps
// others has them in exported fields of type Layer. docs/extending.md shows a layer of another module.
//
// A layer may also implement these interfaces:
//   - [Scorer], for output layers, and [MeanScorer]
//   - [Sized] and [Typed], which summaries and sizes of unknown inputs need
//   - [Rows], for layers that change the number of rows
//   - [InputChecker], for inputs that must be more than numbers of the right shape
//   - [Follower], for transfer learning
//   - [Sequential] and [Reversible], for layers of sequences
//   - [Pretrainer] and [Reconstructor], for autoencoders
//   - [Untrainable], for settings that allow inference only
//   - a method Variables() []string, for layers whose files do not list the names of Params
type Layer interface {
	// Settings returns the properties that every layer has.
	Settings() Settings
	// Complete fills in settings that are left open (nil and zero fields) from the network's defaults, and sizes from
	// the types of the inputs if they are known. It checks the rest. It is idempotent.
	Complete(d Defaults, in []inputtype.Type) (Layer, error)
	// Preprocessor returns the preprocessor that is needed between an input of type in and the layer; nil if none is.
	Preprocessor(in inputtype.Type) Preprocessor
	// OutputType returns the type of the activations for inputs of the given types, or an error that names the input
	// type that does not fit.
	OutputType(in []inputtype.Type) (inputtype.Type, error)
	// Params lists the parameters in the order of the flat vector.
	Params() []Param
	// Forward emits the layer's formula. Dropout on the inputs has been applied.
	Forward(c *Context, in []Activation) Activation
}

// Scorer is a layer that compares its activations with labels.
type Scorer interface {
	Layer
	// Score emits the loss of each row, [rows], summed over the outputs; its gradient reaches the inputs. mask is the
	// labels' mask; nil if there is none.
	Score(c *Context, in []Activation, labels, mask *program.Value) *program.Value
	// LabelShape is the shape of the labels of a minibatch, for activations of type out.
	LabelShape(out inputtype.Type, batch int) tensor.Shape
	// CheckLoss returns an error if the loss does not fit the activation (Deeplearning4j: validateOutputLayerConfig).
	CheckLoss() error
}

// Rows is a layer or vertex whose result has another number of rows than its first input. Row j·rows + i of the result
// belongs to row i of the input.
type Rows interface {
	// Rows returns the number of rows of the result, given those of the inputs.
	Rows(in []int) int
}

// MeanScorer is a [Scorer] whose score always is the mean over the examples. The score of other scorers is a sum if
// gradients are sums (Deeplearning4j: miniBatch(false)).
type MeanScorer interface{ MeansScore() }

// MeansScore reports whether a layer is a [MeanScorer].
func MeansScore(l Layer) bool {
	_, ok := l.(MeanScorer)
	return ok
}

// Untrainable is a layer that may allow inference only, because of its settings or of the place of its updater state
// in Deeplearning4j's files. The method returns the reason, or nil if the layer can be trained.
type Untrainable interface{ Untrainable() error }

// Sized is a layer with its own numbers of inputs and outputs, which summaries show.
type Sized interface{ Sizes() (nIn, nOut int) }

// Typed is a layer whose settings determine its input type.
type Typed interface {
	// InputType returns the type of the input. Its Kind is Unknown if sizes are missing.
	InputType() inputtype.Type
}

// Sequential is a layer of sequences that [MaskZero], [LastTimeStep] and similar layers can wrap.
type Sequential interface {
	// DataFormat returns NCW, NWC, or "" for the same format as the input.
	DataFormat() string
}

// Reversible is a layer that [Bidirectional] can wrap.
type Reversible interface {
	// Reversible reports whether the layer obeys Context.Reverse.
	Reversible() bool
}

// InputOf returns the type of a layer's input, as far as its settings determine it. Its Kind is Unknown for layers that
// are not Typed.
func InputOf(l Layer) inputtype.Type {
	if t, ok := l.(Typed); ok {
		return t.InputType()
	}
	return inputtype.Type{}
}

// Activation is the output of a layer, with its mask.
type Activation struct {
	// Value has the shape Type.Shape(batch).
	Value *program.Value
	// Mask is 1 where something is present and 0 where it is not: [batch, 1], or [batch, time] for sequences; nil if
	// everything is present.
	Mask *program.Value
	Type inputtype.Type
}

// Classes are the layers that configurations and model files may name. A layer of another module registers itself
// under its own class name in an init function. The constructor sets the values of fields that a file leaves out.
var Classes = dl4j.NewClasses[Layer]("layer")

const javaPackage = "org.deeplearning4j.nn.conf.layers."

func init() {
	Classes.Register(javaPackage+"DenseLayer", func() Layer { return Dense{} })
	Classes.Register(javaPackage+"OutputLayer", func() Layer { return Output{} })
	Classes.Register(javaPackage+"LossLayer", func() Layer { return Loss{} })
	Classes.Register(javaPackage+"ActivationLayer", func() Layer { return Activate{} })
	Classes.Register(javaPackage+"DropoutLayer", func() Layer { return Dropout{} })
	Classes.Register(javaPackage+"ConvolutionLayer", func() Layer { return Convolution2D{} })
	Classes.Alias(javaPackage+"Convolution2D", javaPackage+"ConvolutionLayer")
	// Files of Deeplearning4j before 1.0.0-beta4 that leave settings out do not mean the builders' defaults.
	Classes.Register(javaPackage+"SubsamplingLayer", func() Layer { return Subsampling{IncludePad: true} })
	Classes.Alias(javaPackage+"Pooling2D", javaPackage+"SubsamplingLayer")
	Classes.Register(javaPackage+"BatchNormalization", func() Layer {
		l := NewBatchNormalization()
		l.UseLogStd = false
		return l
	})
}

// Not is a switch that files store inverted, so that the zero value is Deeplearning4j's default: NoBias is its
// hasBias.
type Not bool

// MarshalTree writes the opposite.
func (n Not) MarshalTree() (any, error) { return !bool(n), nil }

// UnmarshalTree reads the opposite.
func (n *Not) UnmarshalTree(tree any) error {
	v, ok := tree.(bool)
	if !ok {
		return fmt.Errorf("true or false should be here, not %v", tree)
	}
	*n = Not(!v)
	return nil
}

// Single returns the type of the only input. Any other number of inputs is an error.
func Single(in []inputtype.Type) (inputtype.Type, error) {
	if len(in) != 1 {
		return inputtype.Type{}, fmt.Errorf("takes one input, got %d", len(in))
	}
	return in[0], nil
}
