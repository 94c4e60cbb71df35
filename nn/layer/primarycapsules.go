package layer

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/regularization"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"PrimaryCapsules", func() Layer { return PrimaryCapsules{} })
}

// PrimaryCapsules computes capsules, which are vectors of CapsuleDimensions, from images (Sabour and others, "Dynamic
// routing between capsules", 2017; Deeplearning4j: PrimaryCapsules). It convolves x [batch, inputChannels, h, w] to
// Channels·CapsuleDimensions channels. Their elements, in their order in memory, are the capsules s of the result
// [batch, capsules, CapsuleDimensions]. Each is squashed to ‖s‖²/(1 + ‖s‖²) · s/√(‖s‖² + 10⁻⁵).
type PrimaryCapsules struct {
	SameDiff
	Kernel   [2]int `dl4j:"kernelSize"` // 9x9 if both are 0
	Stride   [2]int `dl4j:"stride"`     // 2x2 if both are 0
	Padding  [2]int `dl4j:"padding"`
	Dilation [2]int `dl4j:"dilation"` // 1x1 if both are 0
	// InputChannels are those of the input type if it is known.
	InputChannels int `dl4j:"inputChannels"`
	Channels      int `dl4j:"channels"` // 32 if it is 0
	NoBias        Not `dl4j:"hasBias"`
	// Capsules is the number of capsules. It follows from the input type; if that is unknown, it must be set.
	Capsules          int             `dl4j:"capsules"`
	CapsuleDimensions int             `dl4j:"capsuleDimensions"`
	Mode              ConvolutionMode `dl4j:"convolutionMode"` // Truncate if it is empty
	// UseReLU applies max(z, 0) between convolution and capsules; with a Leak, max(z, 0) + Leak·min(z, 0).
	UseReLU bool    `dl4j:"useRelu"`
	Leak    float64 `dl4j:"leak"`
}

// Sizes returns the channels of images before and after the convolution.
func (l PrimaryCapsules) Sizes() (nIn, nOut int) {
	return l.InputChannels, l.Channels * l.CapsuleDimensions
}

func (l PrimaryCapsules) window(t inputtype.Type) window2D {
	format := nchw
	if t.ChannelsLast {
		format = nhwc
	}
	return window2D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, format}
}

// Complete fills in settings that are left open.
func (l PrimaryCapsules) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	s, err := l.SameDiff.complete(d)
	if err != nil {
		return nil, err
	}
	l.SameDiff = s
	if l.Kernel == [2]int{} {
		l.Kernel = [2]int{9, 9}
	}
	if l.Stride == [2]int{} {
		l.Stride = [2]int{2, 2}
	}
	if l.Mode == "" {
		l.Mode = Truncate
	}
	if l.Channels == 0 {
		l.Channels = 32
	}
	l.Dilation = ones(l.Dilation)
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	const most = 1 << 24
	switch {
	case l.CapsuleDimensions < 1 || l.CapsuleDimensions > most || l.Channels < 1 || l.Channels > most:
		return nil, fmt.Errorf("capsuleDimensions is %d and channels %d: both must be positive, and at most %d",
			l.CapsuleDimensions, l.Channels, most)
	case l.Capsules < 0:
		return nil, fmt.Errorf("capsules is %d: it must not be negative", l.Capsules)
	case math.IsNaN(l.Leak) || math.IsInf(l.Leak, 0):
		return nil, fmt.Errorf("leak is %g: it must be a number", l.Leak)
	}
	if err := l.window(t).check(); err != nil {
		return nil, err
	}
	if t.Kind == inputtype.ConvolutionalKind && !d.FromFile {
		l.InputChannels = t.Channels
		if l.Capsules, err = l.count(t); err != nil {
			return nil, err
		}
	}
	if err := positive(l.InputChannels, l.Channels*l.CapsuleDimensions); err != nil {
		return nil, err
	}
	if l.Capsules == 0 {
		return nil, fmt.Errorf("capsules is 0: set it, or the network's input type")
	}
	if _, err := (tensor.Shape{l.Kernel[0], l.Kernel[1], l.InputChannels, l.Channels,
		l.CapsuleDimensions}).CheckedSize(1 << 31); err != nil {
		return nil, err
	}
	l.SameDiff = l.withParams(l.Params())
	return l, nil
}

// count returns the number of capsules of an image.
func (l PrimaryCapsules) count(t inputtype.Type) (int, error) {
	_, out, err := l.window(t).over(t.Height, t.Width)
	return l.Channels * out[0] * out[1], err
}

// Preprocessor restores the shape of flat images.
func (l PrimaryCapsules) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is a sequence of capsuleDimensions vectors of capsules elements, as in Deeplearning4j.
func (l PrimaryCapsules) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	if t, err = image(in, l.InputChannels, l.window(t).format); err != nil {
		return t, err
	}
	n, err := l.count(t)
	if err == nil && n != l.Capsules {
		err = fmt.Errorf("makes %d capsules of %v, and capsules is %d", n, t, l.Capsules)
	}
	return inputtype.Recurrent(l.Capsules, l.CapsuleDimensions), err
}

// Params are weight [kh, kw, inputChannels, channels·capsuleDimensions] and bias [channels·capsuleDimensions].
func (l PrimaryCapsules) Params() []Param {
	area, n := float64(l.Kernel[0]*l.Kernel[1]), l.Channels*l.CapsuleDimensions
	ps := []Param{l.weight("weight", weights.FanInOut{In: float64(l.InputChannels) * area,
		Out: float64(n) * area / (float64(l.Stride[0]) * float64(l.Stride[1]))}, l.Kernel[0], l.Kernel[1], l.InputChannels,
		n)}
	if !l.NoBias {
		ps = append(ps, l.biasOf(n))
	}
	return ps
}

// biasOf returns the parameter bias, which starts at 0.
func (s SameDiff) biasOf(shape ...int) Param {
	p := s.base().Bias("b", 0)
	p.Name, p.Shape, p.Order = "bias", shape, 'c'
	p.Constraints = regularization.ConstraintsOn(s.Constraints, p.Name)
	return p
}

// Forward emits the formula.
func (l PrimaryCapsules) Forward(c *Context, in []Activation) Activation {
	of := in[0].Type
	w, _, _ := l.window(of).over(of.Height, of.Width)
	x := channelsFirst(c, in[0].Value, of.ChannelsLast)
	z := c.Apply(program.Conv2D{Window: w}, x, c.Transpose(c.Params["weight"], 3, 2, 0, 1))
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["bias"], z.Shape[1], 1, 1))
	}
	if l.UseReLU {
		low := c.Mul(c.Min(z, c.Fill(0)), c.Fill(l.Leak))
		z = c.Max(z, c.Fill(0))
		if l.Leak != 0 {
			z = c.Add(z, low)
		}
	}
	z = c.Reshape(z, x.Shape[0], l.Capsules, l.CapsuleDimensions)
	return Activation{squash(c, z), passed(in[0].Mask), inputtype.Recurrent(l.Capsules, l.CapsuleDimensions)}
}

// squash shortens the vectors along the last dimension to less than 1. For long ones, ‖s‖²/(1 + ‖s‖²) is 1 in float32.
func squash(c *Context, s *program.Value) *program.Value {
	s, by := program.Shrunk(c.Builder, s, len(s.Shape)-1)
	long := c.Binary(program.Greater, by, c.Fill(1))
	square := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(len(s.Shape) - 1), Keep: true},
		c.Unary(program.Square, s))
	root := c.Unary(program.Sqrt, c.Add(square, c.Select(long, c.Fill(0), c.Fill(1e-5))))
	divisor := c.Mul(c.Select(long, c.Fill(1), c.Add(square, c.Fill(1))), root)
	return c.Mul(s, c.Div(c.Select(long, c.Fill(1), square), divisor))
}
