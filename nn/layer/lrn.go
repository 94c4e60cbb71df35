package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"LocalResponseNormalization", func() Layer { return NewLocalResponseNormalization() })
}

// LocalResponseNormalization divides the pixels of images by a function of neighbouring channels at the same place:
//
//	y[c] = x[c] / (K + Alpha·Σ x[j]²)^Beta,  j from c − ⌊N/2⌋ to c + ⌊N/2⌋
//
// (Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks", 2012;
// Deeplearning4j: LocalResponseNormalization, whose gradient is not the derivative; here it is.)
type LocalResponseNormalization struct {
	Bare
	N      float64 `dl4j:"n"`
	K      float64 `dl4j:"k"`
	Alpha  float64 `dl4j:"alpha"`
	Beta   float64 `dl4j:"beta"`
	Format string  `dl4j:"dataFormat"` // NCHW or NHWC; by default, that of the input type
	Inert  dl4j.Inert
}

// NewLocalResponseNormalization returns a layer with Deeplearning4j's defaults: N 5, K 2, Alpha 1e-4, Beta 0.75.
func NewLocalResponseNormalization() LocalResponseNormalization {
	return LocalResponseNormalization{N: 5, K: 2, Alpha: 1e-4, Beta: 0.75}
}

// InertFields are a switch of cuDNN.
func (l LocalResponseNormalization) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAllowFallback", Value: true}}
}

// Complete fills in settings that are left open.
func (l LocalResponseNormalization) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if !(l.N >= 0 && l.N <= maxTaps) || !(l.K > 0) || !(l.Alpha >= 0) || math.IsNaN(l.Beta) ||
		math.IsInf(l.K+l.Alpha+l.Beta, 0) {
		return nil,
			fmt.Errorf("n %g must be from 0 to %d, alpha %g not negative, k %g positive; NewLocalResponseNormalization has the "+
				"usual values (beta: %g)", l.N, maxTaps, l.Alpha, l.K, l.Beta)
	}
	return l, checkFormat(l.Format)
}

// Preprocessor restores the shape of flat images.
func (l LocalResponseNormalization) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is the type of the input.
func (l LocalResponseNormalization) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return image(in, 0, l.Format)
}

// Forward emits the formula.
func (l LocalResponseNormalization) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	x := channelsFirst(c, in[0].Value, t.ChannelsLast)
	channels := x.Shape[1]
	half := min(int(l.N)/2, channels-1)
	_, by := program.Shrunk(c.Builder, x, 1)
	by = c.Min(by, c.Fill(0x1p60)) // keeps K/by² above 0 for the channels far from the largest
	x = c.Div(x, by)
	squares := c.Unary(program.Square, x)
	sum := squares
	for i := 1; i <= half; i++ {
		above := padded(c, c.Slice(squares, 1, i, channels), 1, 0, i)
		below := padded(c, c.Slice(squares, 1, 0, channels-i), 1, i, 0)
		sum = c.Add(sum, c.Add(above, below))
	}
	u := c.Add(c.Mul(sum, c.Fill(l.Alpha)), c.Div(c.Fill(l.K), c.Unary(program.Square, by)))
	log := c.Mul(c.Unary(program.Log, by), c.Fill(1-2*l.Beta))
	power := c.Unary(program.Exp, c.Add(c.Mul(c.Unary(program.Log, u), c.Fill(-l.Beta)), log)) // much faster than Pow
	y := c.Mul(x, power)
	return Activation{channelsLast(c, y, t.ChannelsLast), in[0].Mask, t}
}
