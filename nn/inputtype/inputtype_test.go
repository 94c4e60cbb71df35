package inputtype

import (
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

func TestOfIsTheInverseOfShape(t *testing.T) {
	for _, want := range []Type{FeedForward(7), Recurrent(3, 9), Convolutional(4, 5, 2), Convolutional3D(3, 4, 5, 2)} {
		got, err := Of(want.Shape(6))
		if err != nil || got != want {
			t.Errorf("%v: shape %v, of which %v, %v", want, want.Shape(6), got, err)
		}
	}
	if flat := ConvolutionalFlat(4, 5, 2); !flat.Shape(6).Equal(tensor.Shape{6, 40}) || flat.Elements() != 40 {
		t.Errorf("flat images have the shape %v", flat.Shape(6))
	}
	for _, s := range []tensor.Shape{{}, {3}, {1, 2, 3, 4, 5, 6}} {
		if got, err := Of(s); err == nil {
			t.Errorf("the shape %v is of the type %v", s, got)
		}
	}
}

// For an array with the channels last, Read turns the type returned by Of into the correct type.
func TestChannelsLast(t *testing.T) {
	for _, want := range []Type{FeedForward(7), Convolutional(4, 5, 2).Last(), Convolutional3D(3, 4, 5, 2).Last()} {
		of, err := Of(want.Shape(6))
		if got := of.Read(true); err != nil || got != want || !got.Shape(6).Equal(of.Shape(6)) || got.Read(true) != want ||
			of.Read(false) != of {
			t.Errorf("%v: shape %v, read as %v, %v", want, want.Shape(6), got, err)
		}
	}
}
