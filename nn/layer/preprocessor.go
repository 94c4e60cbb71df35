package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// Preprocessor reshapes activations between layers of different kinds (Deeplearning4j:
// org.deeplearning4j.nn.conf.preprocessor). It runs before a layer and has no parameters.
type Preprocessor interface {
	// OutputType returns the type of the output for an input of type in, or an error if it does not fit.
	OutputType(in inputtype.Type) (inputtype.Type, error)
	// Apply emits the operation for a minibatch of batch examples of type in. It returns x and its mask (nil if there
	// is none) for the layer.
	Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type, batch int) (*program.Value, *program.Value)
}

// PreprocessorClasses are the preprocessors that configurations may name.
var PreprocessorClasses = dl4j.NewClasses[Preprocessor]("preprocessor")

const preprocessorPackage = "org.deeplearning4j.nn.conf.preprocessor."

func init() {
	PreprocessorClasses.Register(preprocessorPackage+"CnnToFeedForwardPreProcessor",
		func() Preprocessor { return CnnToFeedForward{Format: "NCHW"} })
	PreprocessorClasses.Register(preprocessorPackage+"FeedForwardToCnnPreProcessor",
		func() Preprocessor { return FeedForwardToCnn{} })
}

// CnnToFeedForward flattens an image: [batch, channels, height, width] → [batch, channels·height·width], the width
// varying fastest.
type CnnToFeedForward struct {
	Height   int    `dl4j:"inputHeight"`
	Width    int    `dl4j:"inputWidth"`
	Channels int    `dl4j:"numChannels"`
	Format   string `dl4j:"format"` // NCHW, or NHWC for rows in that order
}

// OutputType is a vector.
func (p CnnToFeedForward) OutputType(in inputtype.Type) (inputtype.Type, error) {
	want := inputtype.Convolutional(p.Height, p.Width, p.Channels)
	switch p.Format {
	case "NCHW":
	case "NHWC":
		want = want.Last()
		in = in.Read(true)
	default:
		return in, fmt.Errorf("CnnToFeedForwardPreProcessor: the format %q is unknown: NCHW and NHWC are known", p.Format)
	}
	if in.Kind == inputtype.FeedForwardKind && in.Size == want.Elements() {
		return in, nil // already rows, which Deeplearning4j passes on
	}
	if in.Step() != want {
		return in, fmt.Errorf("CnnToFeedForwardPreProcessor: takes %v, got %v", want, in)
	}
	return inputtype.FeedForward(in.Elements()).Over(in), nil
}

// Apply reshapes.
func (p CnnToFeedForward) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	return b.Reshape(x, x.Shape[0], in.Elements()), mask
}

// FeedForwardToCnn turns rows into images: [batch, channels·height·width] → [batch, channels, height, width].
type FeedForwardToCnn struct {
	Height   int `dl4j:"inputHeight"`
	Width    int `dl4j:"inputWidth"`
	Channels int `dl4j:"numChannels"`
}

// OutputType is an image.
func (p FeedForwardToCnn) OutputType(in inputtype.Type) (inputtype.Type, error) {
	out := inputtype.Convolutional(p.Height, p.Width, p.Channels)
	row := (in.Kind == inputtype.FeedForwardKind || in.Kind == inputtype.ConvolutionalFlatKind) &&
		in.Elements() == out.Elements()
	if !row && in.Step() != out {
		return in, fmt.Errorf("FeedForwardToCnnPreProcessor: takes rows of %d (%v), got %v", out.Elements(), out, in)
	}
	return out.Over(in), nil
}

// Apply reshapes.
func (p FeedForwardToCnn) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	return b.Reshape(x, x.Shape[0], p.Channels, p.Height, p.Width), mask
}
