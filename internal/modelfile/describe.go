package modelfile

import (
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/nn/inputtype"
)

// InputOf is the input type of data.
func InputOf(i source.Info) inputtype.Type {
	x := i.Features[0]
	switch {
	case i.Image != nil && len(x) == 1:
		return inputtype.ConvolutionalFlat(i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(x) == 1:
		return inputtype.FeedForward(x[0])
	case len(x) == 2:
		return inputtype.Recurrent(x[0], max(0, x[1]))
	case len(x) == 3:
		return inputtype.Convolutional(x[1], x[2], x[0])
	}
	return inputtype.Type{}
}

// ClassesOf is the number of classes that a built-in network is to tell apart.
func ClassesOf(i source.Info) int {
	if i.Classes > 0 || len(i.Labels) == 0 {
		return i.Classes
	}
	return i.Labels[0][0]
}

// Describe says in a few words what the examples are like.
func Describe(i source.Info) string {
	var s string
	switch {
	case i.Image != nil && i.Image.Channels == 1:
		s = fmt.Sprintf("images of %dx%d", i.Image.Height, i.Image.Width)
	case i.Image != nil:
		s = fmt.Sprintf("images of %dx%d with %d channels", i.Image.Height, i.Image.Width, i.Image.Channels)
	case len(i.Features) == 1:
		s = fmt.Sprintf("features %v", i.Features[0])
	default:
		s = fmt.Sprintf("%d arrays of features", len(i.Features))
	}
	switch {
	case i.Classes > 0:
		s += fmt.Sprintf(", %d classes", i.Classes)
	case len(i.Labels) == 1:
		s += fmt.Sprintf(", labels %v", i.Labels[0])
	case len(i.Labels) == 0:
		s += ", no labels"
	}
	return s
}
