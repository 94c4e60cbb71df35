package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	PreprocessorClasses.Register(preprocessorPackage+"Cnn3DToFeedForwardPreProcessor",
		func() Preprocessor { return Cnn3DToFeedForward{} })
	PreprocessorClasses.Register(preprocessorPackage+"FeedForwardToCnn3DPreProcessor",
		func() Preprocessor { return FeedForwardToCnn3D{} })
}

// Cnn3DToFeedForward flattens a volume: [batch, channels, depth, height, width] → [batch, all of them], the width
// varying fastest; without NCDHW [batch, depth, height, width, channels], the channels varying fastest.
type Cnn3DToFeedForward struct {
	Depth    int  `dl4j:"inputDepth,creator"`
	Height   int  `dl4j:"inputHeight,creator"`
	Width    int  `dl4j:"inputWidth,creator"`
	Channels int  `dl4j:"numChannels,creator"`
	NCDHW    bool `dl4j:"ncdhw,alias=isNCDHW"`
}

func volumeTypeOf(depth, height, width, channels int, ncdhw bool) inputtype.Type {
	t := inputtype.Convolutional3D(depth, height, width, channels)
	t.ChannelsLast = !ncdhw
	return t
}

// OutputType is a vector. Deeplearning4j's layers that pad, crop and repeat volumes forget the format. For volumes of
// the right size, only the number of channels, at its place in the format, is checked.
func (p Cnn3DToFeedForward) OutputType(in inputtype.Type) (inputtype.Type, error) {
	want := volumeTypeOf(p.Depth, p.Height, p.Width, p.Channels, p.NCDHW)
	if in.Kind == inputtype.FeedForwardKind && in.Size == want.Elements() {
		return in, nil // rows already
	}
	if in.Kind == inputtype.Convolutional3DKind && in.Read(!p.NCDHW).Channels == p.Channels &&
		in.Elements() == want.Elements() {
		return inputtype.FeedForward(want.Elements()), nil
	}
	return in, fmt.Errorf("Cnn3DToFeedForwardPreProcessor: takes %v, got %v", want, in)
}

// Apply reshapes.
func (p Cnn3DToFeedForward) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	return b.Reshape(x, x.Shape[0], in.Elements()), mask
}

// FeedForwardToCnn3D turns rows into volumes: the inverse of Cnn3DToFeedForward.
type FeedForwardToCnn3D struct {
	Depth    int  `dl4j:"inputDepth,creator"`
	Height   int  `dl4j:"inputHeight,creator"`
	Width    int  `dl4j:"inputWidth,creator"`
	Channels int  `dl4j:"numChannels,creator"`
	NCDHW    bool `dl4j:"ncdhw,alias=isNCDHW"`
}

// OutputType is a volume.
func (p FeedForwardToCnn3D) OutputType(in inputtype.Type) (inputtype.Type, error) {
	out := volumeTypeOf(p.Depth, p.Height, p.Width, p.Channels, p.NCDHW)
	row := in.Kind == inputtype.FeedForwardKind && in.Elements() == out.Elements()
	if !row && in.Read(!p.NCDHW) != out {
		return in, fmt.Errorf("FeedForwardToCnn3DPreProcessor: takes rows of %d (%v), got %v", out.Elements(), out, in)
	}
	return out, nil
}

// Apply reshapes.
func (p FeedForwardToCnn3D) Apply(b *program.Builder, x, mask *program.Value, in inputtype.Type,
	batch int) (*program.Value, *program.Value) {
	out, _ := p.OutputType(in)
	return b.Reshape(x, out.Shape(x.Shape[0])...), mask
}
