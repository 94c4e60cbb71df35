// Package inputtype describes the activations between two layers: vectors, sequences, images or volumes, and their
// sizes without the batch (Deeplearning4j: org.deeplearning4j.nn.conf.inputs.InputType).
package inputtype

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Kind is the kind of one example.
type Kind int

// The kinds. Unknown is the zero value: no input type was given.
const (
	Unknown               Kind = iota
	FeedForwardKind            // a vector
	RecurrentKind              // a sequence of vectors
	ConvolutionalKind          // an image
	ConvolutionalFlatKind      // an image whose rows lie in one vector
	Convolutional3DKind        // a volume: an image with a depth
)

// Type is the type of an activation. Types are comparable.
type Type struct {
	Kind Kind
	// Size is the number of elements of a vector, or of one time step.
	Size int
	// TimeSteps is the length of a sequence; 0 if it varies. Vectors and images that are the steps of sequences have it,
	// too. Their arrays have batch·TimeSteps rows: first those of the first step, then those of the second.
	TimeSteps int
	// Format is the layout of sequences in arrays: NWC or NCW; empty means NCW. Vectors that are the steps of sequences
	// keep it.
	Format string
	// Height, Width and Channels are the size of an image or a volume. Depth is for volumes only.
	Height, Width, Channels, Depth int
	// ChannelsLast is true if images and volumes have the channels in the last dimension instead of the second.
	// Deeplearning4j calls that NHWC and NDHWC, as opposed to NCHW and NCDHW.
	ChannelsLast bool
}

// FeedForward is the type of vectors of size elements: arrays are [batch, size].
func FeedForward(size int) Type { return Type{Kind: FeedForwardKind, Size: size} }

// The formats of sequences (Deeplearning4j: RNNFormat).
const (
	NCW = "NCW" // [batch, size, time]
	NWC = "NWC" // [batch, time, size]
)

// As returns the type of the same array of sequences, read in another format: the number of steps and the size trade
// places.
func (t Type) As(format string) Type {
	if t.Kind == RecurrentKind && (t.Format == NWC) != (format == NWC) {
		t.Size, t.TimeSteps, t.Format = t.TimeSteps, t.Size, format
	}
	return t
}

// Over returns t, the type of a layer's output. If the layer's input in are the steps of sequences, the result is
// marked as such steps, too.
func (t Type) Over(in Type) Type {
	if t.Kind != RecurrentKind && in.Kind != RecurrentKind && t.TimeSteps == 0 && t.Format == "" {
		t.TimeSteps, t.Format = in.TimeSteps, in.Format
	}
	return t
}

// Step returns the type without the fields that mark it as a step of sequences.
func (t Type) Step() Type {
	t.TimeSteps, t.Format = 0, ""
	return t
}

// Recurrent is the type of sequences of vectors of size elements: arrays are [batch, size, timeSteps]. timeSteps is 0
// if the length varies.
func Recurrent(size, timeSteps int) Type {
	return Type{Kind: RecurrentKind, Size: size, TimeSteps: timeSteps}
}

// Convolutional is the type of images: arrays are [batch, channels, height, width].
func Convolutional(height, width, channels int) Type {
	return Type{Kind: ConvolutionalKind, Height: height, Width: width, Channels: channels}
}

// ConvolutionalFlat is the type of images as rows: arrays are [batch, channels·height·width]. The width varies fastest.
func ConvolutionalFlat(height, width, channels int) Type {
	return Type{Kind: ConvolutionalFlatKind, Height: height, Width: width, Channels: channels}
}

// Convolutional3D is the type of volumes: arrays are [batch, channels, depth, height, width].
func Convolutional3D(depth, height, width, channels int) Type {
	return Type{Kind: Convolutional3DKind, Depth: depth, Height: height, Width: width, Channels: channels}
}

// Last returns the type with the channels in the last dimension of arrays.
func (t Type) Last() Type {
	t.ChannelsLast = true
	return t
}

// Read returns the type of the same arrays of images or volumes with the channels in the last dimension. Arrays do not
// tell their layout, and Of takes the channels to be in the second dimension. A layer with channels last calls Read on
// the type of its input.
func (t Type) Read(channelsLast bool) Type {
	if t.ChannelsLast || !channelsLast {
		return t
	}
	switch t.Kind {
	case ConvolutionalKind:
		t.Height, t.Width, t.Channels = t.Channels, t.Height, t.Width
	case Convolutional3DKind:
		t.Depth, t.Height, t.Width, t.Channels = t.Channels, t.Depth, t.Height, t.Width
	default:
		return t
	}
	return t.Last()
}

// Elements returns the number of elements of an example, or of one time step of a sequence.
func (t Type) Elements() int {
	switch t.Kind {
	case ConvolutionalKind, ConvolutionalFlatKind:
		return t.Height * t.Width * t.Channels
	case Convolutional3DKind:
		return t.Depth * t.Height * t.Width * t.Channels
	}
	return t.Size
}

// Shape returns the shape of an array of batch examples.
func (t Type) Shape(batch int) tensor.Shape {
	if t.Kind != RecurrentKind {
		batch *= max(1, t.TimeSteps)
	}
	s := tensor.Shape{batch, t.Channels, t.Height, t.Width}
	switch t.Kind {
	case RecurrentKind:
		s = tensor.Shape{batch, t.Size, t.TimeSteps}
	case ConvolutionalKind:
	case Convolutional3DKind:
		s = tensor.Shape{batch, t.Channels, t.Depth, t.Height, t.Width}
	default:
		return tensor.Shape{batch, t.Elements()}
	}
	if t.UnitsLast() {
		channels := s[1]
		copy(s[1:], s[2:])
		s[len(s)-1] = channels
	}
	return s
}

// UnitsLast reports whether the channels of images and volumes, or the values of a time step, are in the last dimension
// of arrays instead of the second.
func (t Type) UnitsLast() bool { return t.ChannelsLast || t.Kind == RecurrentKind && t.Format == NWC }

// Of returns the type of arrays of this shape: two dimensions are vectors, three are sequences, four images, and five
// volumes. The first dimension is the batch. Any other number of dimensions is an error.
func Of(shape tensor.Shape) (Type, error) {
	switch len(shape) {
	case 2:
		return FeedForward(shape[1]), nil
	case 3:
		return Recurrent(shape[1], shape[2]), nil
	case 4:
		return Convolutional(shape[2], shape[3], shape[1]), nil
	case 5:
		return Convolutional3D(shape[2], shape[3], shape[4], shape[1]), nil
	}
	return Type{}, fmt.Errorf("arrays of shape %v are neither vectors [batch, size], nor sequences [batch, size, time], "+
		"nor images [batch, channels, height, width], nor volumes [batch, channels, depth, height, width]", shape)
}

// String describes the type for messages.
func (t Type) String() string {
	last := ""
	if t.ChannelsLast {
		last = ", channels last"
	}
	switch t.Kind {
	case FeedForwardKind:
		return fmt.Sprintf("vectors of %d", t.Size)
	case RecurrentKind:
		return fmt.Sprintf("sequences of vectors of %d%s", t.Size, last)
	case ConvolutionalKind:
		return fmt.Sprintf("images of %dx%d with %d channels%s", t.Height, t.Width, t.Channels, last)
	case Convolutional3DKind:
		return fmt.Sprintf("volumes of %dx%dx%d with %d channels%s", t.Depth, t.Height, t.Width, t.Channels, last)
	case ConvolutionalFlatKind:
		return fmt.Sprintf("flat images of %dx%d with %d channels", t.Height, t.Width, t.Channels)
	}
	return "an unknown input type"
}
