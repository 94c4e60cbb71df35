package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
)

// RowSize returns the number of inputs of a layer of rows: nIn or, if that is 0, the size of the only input if its
// type is known.
func RowSize(nIn int, in []inputtype.Type) (int, error) {
	t, err := Single(in)
	if nIn == 0 && t.Kind != inputtype.Unknown {
		nIn = t.Elements()
	}
	return nIn, err
}

// RowOutput returns the output type of a layer from rows of nIn to rows of nOut, or an error if an input does not fit.
func RowOutput(in []inputtype.Type, nIn, nOut int) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	row := t.Kind == inputtype.FeedForwardKind || t.Kind == inputtype.ConvolutionalFlatKind
	if !row || t.Elements() != nIn {
		return t, fmt.Errorf("takes vectors of %d (nIn), got %v", nIn, t)
	}
	return inputtype.FeedForward(nOut).Over(t), nil
}

// ToRows returns the preprocessor of a layer that takes rows. It flattens images and turns each step of a sequence
// into a row.
func ToRows(in inputtype.Type) Preprocessor {
	switch in.Kind {
	case inputtype.RecurrentKind:
		if in.Format == "" {
			in.Format = inputtype.NCW
		}
		return RnnToFeedForward{Format: in.Format}
	case inputtype.ConvolutionalKind:
		format := nchw
		if in.ChannelsLast {
			format = nhwc
		}
		return CnnToFeedForward{Height: in.Height, Width: in.Width, Channels: in.Channels, Format: format}
	case inputtype.Convolutional3DKind:
		return Cnn3DToFeedForward{Depth: in.Depth, Height: in.Height, Width: in.Width, Channels: in.Channels,
			NCDHW: !in.ChannelsLast}
	}
	return nil
}

// RowInput is the input type of a layer that takes rows of n; its Kind is Unknown if n is 0.
func RowInput(n int) inputtype.Type {
	if n == 0 {
		return inputtype.Type{}
	}
	return inputtype.FeedForward(n)
}
