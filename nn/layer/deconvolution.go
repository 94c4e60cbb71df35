package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"Deconvolution2D", func() Layer { return Deconvolution2D{Format: nchw} })
}

// Deconvolution2D is the transposed convolution: x [batch, nIn, h, w] → act(y + b) [batch, nOut, oh, ow]. Each pixel
// of x adds its multiple of the filters to y (Deeplearning4j: Deconvolution2D). The settings are those of
// Convolution2D.
//
// With k the dilated size of the kernel, oh is Stride·(h − 1) + k − 2·Padding. With Same it is Stride·h. Half of the
// excess, rounded down, is cut off at the top and the left, the rest at the bottom and the right.
type Deconvolution2D Convolution2D

// InertFields are those of Convolution2D.
func (l Deconvolution2D) InertFields() dl4j.Object { return Convolution2D{}.InertFields() }

// Sizes returns nIn and nOut.
func (l Deconvolution2D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Complete fills in settings that are left open.
func (l Deconvolution2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	completed, err := Convolution2D(l).Complete(d, in)
	if err != nil {
		return nil, err
	}
	return Deconvolution2D(completed.(Convolution2D)), nil
}

// Preprocessor restores the shape of flat images.
func (l Deconvolution2D) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is an image of nOut channels.
func (l Deconvolution2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, l.NIn, l.Format)
	if err != nil {
		return t, err
	}
	var out [2]int
	for i, size := range [2]int{t.Height, t.Width} {
		if out[i], err = Convolution2D(l).window().backwards(i, size); err != nil {
			return t, err
		}
	}
	t.Height, t.Width, t.Channels = out[0], out[1], l.NOut
	return t, nil
}

// backwards returns the extent of the image to which the window, run forwards, gives size.
func (w window2D) backwards(dim, size int) (int, error) {
	if w.mode == Same {
		return w.stride[dim] * size, nil
	}
	out := w.stride[dim]*(size-1) + (w.kernel[dim]-1)*w.dilation[dim] + 1 - 2*w.padding[dim]
	if out < 1 {
		return 0, fmt.Errorf("the padding %v leaves nothing of the result", w.padding)
	}
	return out, nil
}

// Params are b [nOut] and W [nIn, nOut, kh, kw].
func (l Deconvolution2D) Params() []Param {
	shape := []int{l.NIn, l.NOut, l.Kernel[0], l.Kernel[1]}
	area := float64(l.Kernel[0] * l.Kernel[1])
	w := l.Weight(Param{Name: "W", Shape: shape, Order: 'c', Init: Drawn(l.WeightInit, shape, weights.FanInOut{
		In: float64(l.NIn) * area, Out: float64(l.NOut) * area / float64(l.Stride[0]*l.Stride[1])})})
	if l.NoBias {
		return []Param{w}
	}
	return []Param{l.Bias("b", l.NOut), w}
}

// Forward emits the formula.
func (l Deconvolution2D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	w, _, _ := Convolution2D(l).window().over(t.Height, t.Width)
	last := t.ChannelsLast
	x := channelsFirst(c, in[0].Value, last)
	z := c.Apply(program.Conv2DGradInput{Window: w, H: t.Height, W: t.Width}, x, c.Params["W"])
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["b"], l.NOut, 1, 1))
	}
	return Activation{activate(c, l.Activation, z, last), passed(in[0].Mask), t}
}
