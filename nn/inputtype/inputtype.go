// Package inputtype says what the activations between two layers are: vectors, images or sequences, and their sizes
// without the batch (Deeplearning4j: org.deeplearning4j.nn.conf.inputs.InputType).
package inputtype

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Kind is what one example is.
type Kind int

// The kinds. Unknown is the zero value: no input type was given.
const (
	Unknown               Kind = iota
	FeedForwardKind            // a vector
	RecurrentKind              // a sequence of vectors
	ConvolutionalKind          // an image
	ConvolutionalFlatKind      // an image whose rows lie in one vector
)

// Type is the type of an activation. Types are comparable.
type Type struct {
	Kind Kind
	// Size is the number of elements of a vector, or of one time step.
	Size int
	// TimeSteps is the length of a sequence; 0 where it varies.
	TimeSteps int
	// Height, Width and Channels are those of an image.
	Height, Width, Channels int
}

// FeedForward is a vector of size elements: arrays are [batch, size].
func FeedForward(size int) Type { return Type{Kind: FeedForwardKind, Size: size} }

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

// Elements is the number of elements of one example, of one time step for a sequence.
func (t Type) Elements() int {
	switch t.Kind {
	case ConvolutionalKind, ConvolutionalFlatKind:
		return t.Height * t.Width * t.Channels
	}
	return t.Size
}

// Shape is the shape of a minibatch of examples.
func (t Type) Shape(batch int) tensor.Shape {
	switch t.Kind {
	case RecurrentKind:
		return tensor.Shape{batch, t.Size, t.TimeSteps}
	case ConvolutionalKind:
		return tensor.Shape{batch, t.Channels, t.Height, t.Width}
	}
	return tensor.Shape{batch, t.Elements()}
}

// Of gives the type of arrays of a shape: two dimensions are vectors, three sequences, four images.
func Of(shape tensor.Shape) (Type, error) {
	switch len(shape) {
	case 2:
		return FeedForward(shape[1]), nil
	case 3:
		return Recurrent(shape[1], shape[2]), nil
	case 4:
		return Convolutional(shape[2], shape[3], shape[1]), nil
	}
	return Type{}, fmt.Errorf("arrays of shape %v are neither vectors [batch, size], nor sequences [batch, size, time], "+
		"nor images [batch, channels, height, width]", shape)
}

// String describes the type as messages do.
func (t Type) String() string {
	switch t.Kind {
	case FeedForwardKind:
		return fmt.Sprintf("vectors of %d", t.Size)
	case RecurrentKind:
		return fmt.Sprintf("sequences of vectors of %d", t.Size)
	case ConvolutionalKind:
		return fmt.Sprintf("images of %dx%d with %d channels", t.Height, t.Width, t.Channels)
	case ConvolutionalFlatKind:
		return fmt.Sprintf("flat images of %dx%d with %d channels", t.Height, t.Width, t.Channels)
	}
	return "an unknown input type"
}
