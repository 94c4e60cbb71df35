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
	// TimeSteps is the length of a sequence; 0 if it varies. Vectors and images that are the steps of sequences have
	// it, too. An array then holds batch·TimeSteps of them, those of the first step before those of the second.
	TimeSteps int
	// Format is the layout of sequences in arrays: NWC, or else NCW. Vectors that are the steps of sequences keep it.
	Format string
	// Height, Width and Channels are those of an image or a volume; Depth is that of a volume.
	Height, Width, Channels, Depth int
	// ChannelsLast says that images and volumes have the channels in the last dimension, which Deeplearning4j calls
	// NHWC and NDHWC, instead of the second (NCHW and NCDHW).
	ChannelsLast bool
}

// FeedForward is a vector of size elements: arrays are [batch, size].
func FeedForward(size int) Type { return Type{Kind: FeedForwardKind, Size: size} }

// The formats of sequences (Deeplearning4j: RNNFormat).
const (
	NCW = "NCW" // [batch, size, time]
	NWC = "NWC" // [batch, time, size]
)

// As reads the same array of sequences in another format. Steps and elements trade places.
func (t Type) As(format string) Type {
	if t.Kind == RecurrentKind && (t.Format == NWC) != (format == NWC) {
		t.Size, t.TimeSteps, t.Format = t.TimeSteps, t.Size, format
	}
	return t
}

// Over marks t, a layer's output of vectors or images, as steps of sequences if the layer's input in is.
func (t Type) Over(in Type) Type {
	if t.Kind != RecurrentKind && in.Kind != RecurrentKind && t.TimeSteps == 0 && t.Format == "" {
		t.TimeSteps, t.Format = in.TimeSteps, in.Format
	}
	return t
}

// Step removes the fields that mark the type as a step of sequences.
func (t Type) Step() Type {
	t.TimeSteps, t.Format = 0, ""
	return t
}

// Recurrent is a sequence of vectors of size elements: arrays are [batch, size, timeSteps].
func Recurrent(size, timeSteps int) Type {
	return Type{Kind: RecurrentKind, Size: size, TimeSteps: timeSteps}
}

// Convolutional is an image: arrays are [batch, channels, height, width].
func Convolutional(height, width, channels int) Type {
	return Type{Kind: ConvolutionalKind, Height: height, Width: width, Channels: channels}
}

// ConvolutionalFlat is an image as one row: arrays are [batch, channels·height·width], the width varying fastest.
func ConvolutionalFlat(height, width, channels int) Type {
	return Type{Kind: ConvolutionalFlatKind, Height: height, Width: width, Channels: channels}
}

// Convolutional3D is a volume: arrays are [batch, channels, depth, height, width].
func Convolutional3D(depth, height, width, channels int) Type {
	return Type{Kind: Convolutional3DKind, Depth: depth, Height: height, Width: width, Channels: channels}
}

// Last returns the type with the channels in the last dimension of arrays.
func (t Type) Last() Type {
	t.ChannelsLast = true
	return t
}

// Read returns the type of the same arrays of images or volumes with the channels in the last dimension. Arrays do not
// tell their layout, and Of takes the channels to be in the second dimension. A layer with channels last calls Read.
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

// Elements is the number of elements of one example, of one time step for a sequence.
func (t Type) Elements() int {
	switch t.Kind {
	case ConvolutionalKind, ConvolutionalFlatKind:
		return t.Height * t.Width * t.Channels
	case Convolutional3DKind:
		return t.Depth * t.Height * t.Width * t.Channels
	}
	return t.Size
}

// Shape is the shape of a minibatch of examples.
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

// Of returns the type of arrays of a shape: two dimensions are vectors, three sequences, four images, five volumes.
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
