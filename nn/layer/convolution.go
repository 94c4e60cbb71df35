package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

// Convolution2D slides filters over images: x [batch, nIn, h, w] → act(x ⋆ W + b) [batch, nOut, oh, ow], where ⋆ is
// the cross-correlation (Deeplearning4j: ConvolutionLayer). Each pair is height and width.
type Convolution2D struct {
	Base
	// NIn is the number of channels; if it is 0, it follows from the input type.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // the number of filters
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [2]int                `dl4j:"kernelSize"` // 5x5 if both are 0
	Stride     [2]int                `dl4j:"stride"`     // 1x1 if both are 0
	Padding    [2]int                `dl4j:"padding"`
	Dilation   [2]int                `dl4j:"dilation"` // 1x1 if both are 0
	// Mode is the convolution mode; empty means the network's.
	Mode   ConvolutionMode `dl4j:"convolutionMode"`
	Format string          `dl4j:"cnn2dDataFormat"` // NCHW or NHWC; by default, that of the input type
	Inert  dl4j.Inert
}

// InertFields are the settings of cuDNN.
func (l Convolution2D) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAlgoMode", Value: "PREFER_FASTEST"}, {Name: "cudnnAllowFallback", Value: true},
		{Name: "cudnnBwdDataAlgo"}, {Name: "cudnnBwdFilterAlgo"}, {Name: "cudnnFwdAlgo"}}
}

// Sizes returns nIn and nOut.
func (l Convolution2D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l Convolution2D) window() window2D {
	return window2D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills in settings that are left open.
func (l Convolution2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	base, err := l.Base.Completed(d)
	if err != nil {
		return nil, err
	}
	l.Base = base
	if l.Activation == nil {
		l.Activation = d.Activation
	}
	if l.Mode == "" {
		l.Mode = d.ConvolutionMode
	}
	l.Format = imageFormat(l.Format, d, in)
	if l.Kernel == [2]int{} {
		l.Kernel = [2]int{5, 5}
	}
	l.Stride, l.Dilation = ones(l.Stride), ones(l.Dilation)
	if t, err := Single(in); err != nil {
		return nil, err
	} else if l.NIn == 0 && t.Kind == inputtype.ConvolutionalKind {
		l.NIn = t.Read(l.Format == nhwc).Channels
	}
	if err := l.window().check(); err != nil {
		return nil, err
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	return l, l.WeightInit.Validate([]int{l.NOut, l.NIn, l.Kernel[0], l.Kernel[1]})
}

// Preprocessor restores the shape of flat images.
func (l Convolution2D) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is an image of nOut channels.
func (l Convolution2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.window().outputType(in, l.NIn, l.NOut)
}

// Params are b [nOut] and W [nOut, nIn, kh, kw].
func (l Convolution2D) Params() []Param {
	shape := []int{l.NOut, l.NIn, l.Kernel[0], l.Kernel[1]}
	area := float64(l.Kernel[0] * l.Kernel[1])
	w := l.Weight(Param{Name: "W", Shape: shape, Order: 'c', Init: Drawn(l.WeightInit, shape, weights.FanInOut{
		In: float64(l.NIn) * area, Out: float64(l.NOut) * area / float64(l.Stride[0]*l.Stride[1])})})
	if l.NoBias {
		return []Param{w}
	}
	return []Param{l.Bias("b", l.NOut), w}
}

// Forward emits the formula.
func (l Convolution2D) Forward(c *Context, in []Activation) Activation {
	return l.emit(c, in, func(x *program.Value, w program.Window) *program.Value {
		return c.Apply(program.Conv2D{Window: w}, x, c.Params["W"])
	})
}

// emit emits the layer around z, which computes the sums for images x [batch, nIn, h, w].
func (l Convolution2D) emit(c *Context, in []Activation,
	z func(x *program.Value, w program.Window) *program.Value) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := l.Format == nhwc
	of := in[0].Type.Read(last)
	w, _, _ := l.window().over(of.Height, of.Width)
	y := z(channelsFirst(c, in[0].Value, last), w)
	if !l.NoBias {
		y = c.Add(y, c.Reshape(c.Params["b"], l.NOut, 1, 1))
	}
	return Activation{Value: activate(c, l.Activation, y, last), Mask: l.window().mask(c, in[0].Mask), Type: t}
}
