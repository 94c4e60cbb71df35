package layer

import (
	"strings"
	"testing"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func TestTypesAndShapes(t *testing.T) {
	image, flat, row := inputtype.Convolutional(2, 3, 4), inputtype.ConvolutionalFlat(2, 3, 4), inputtype.FeedForward(24)
	toRows := CnnToFeedForward{Height: 2, Width: 3, Channels: 4, Format: "NCHW"}
	toImages := FeedForwardToCnn{Height: 2, Width: 3, Channels: 4}
	for _, c := range []struct {
		p        Preprocessor
		in, want inputtype.Type
		err      string
	}{
		{toRows, image, row, ""},
		{toRows, row, row, ""},
		{toRows, inputtype.Convolutional(3, 2, 4), image,
			"takes images of 2x3 with 4 channels, got images of 3x2 with 4 channels"},
		{CnnToFeedForward{2, 3, 4, "CHWN"}, image, row, "NHWC"},
		{toImages, row, image, ""},
		{toImages, flat, image, ""},
		{toImages, image, image, ""},
		{toImages, inputtype.FeedForward(25), image, "takes rows of 24 (images of 2x3 with 4 channels), got vectors of 25"},
	} {
		got, err := c.p.OutputType(c.in)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%#v of %v: %v; want %q", c.p, c.in, err, c.err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%#v of %v: %v, %v; want %v", c.p, c.in, got, err, c.want)
			continue
		}
		b := program.NewBuilder()
		mask := b.Fill(1, 5, 1)
		x, m := c.p.Apply(b, b.Input("x", c.in.Shape(5)...), mask, c.in, 5)
		if !x.Shape.Equal(c.want.Shape(5)) || m != mask {
			t.Errorf("%#v of %v: shape %v", c.p, c.in, x.Shape)
		}
	}
}
