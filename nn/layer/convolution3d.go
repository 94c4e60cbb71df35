package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"Convolution3D", func() Layer { return Convolution3D{Format: ncdhw} })
}

// Convolution3D slides filters over volumes: x [batch, nIn, d, h, w] → act(x ⋆ W + b) [batch, nOut, od, oh, ow], where
// ⋆ is the cross-correlation (Deeplearning4j: Convolution3D). Each triple is depth, height and width.
type Convolution3D struct {
	Base
	// NIn is the number of channels; if it is 0, it follows from the input type.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // the number of filters
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [3]int                `dl4j:"kernelSize"` // 2x2x2 if all are 0
	Stride     [3]int                `dl4j:"stride"`     // 1x1x1 if all are 0
	Padding    [3]int                `dl4j:"padding"`
	Dilation   [3]int                `dl4j:"dilation"` // 1x1x1 if all are 0
	// Mode is the convolution mode; empty means the network's.
	Mode   ConvolutionMode `dl4j:"convolutionMode"`
	Format string          `dl4j:"dataFormat"` // NCDHW or NDHWC; by default, that of the input type
	Inert  dl4j.Inert
}

// InertFields are the settings of cuDNN, an image format, and a mode that has no effect in Deeplearning4j.
func (l Convolution3D) InertFields() dl4j.Object {
	return append(Convolution2D{}.InertFields(), dl4j.Member{Name: "cnn2dDataFormat", Value: nchw},
		dl4j.Member{Name: "mode", Value: "Same"})
}

// Sizes returns nIn and nOut.
func (l Convolution3D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l Convolution3D) window() window3D {
	return window3D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills in settings that are left open.
func (l Convolution3D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	l.Format = volumeFormat(l.Format, d, in)
	if l.Kernel == [3]int{} {
		l.Kernel = [3]int{2, 2, 2}
	}
	l.Stride, l.Dilation = ones3(l.Stride), ones3(l.Dilation)
	if t, err := Single(in); err != nil {
		return nil, err
	} else if l.NIn == 0 && t.Kind == inputtype.Convolutional3DKind {
		l.NIn = t.Read(l.Format == ndhwc).Channels
	}
	if err := l.window().check(); err != nil {
		return nil, err
	}
	if err := checkTaps(l.Kernel[0]); err != nil {
		return nil, fmt.Errorf("along the depth: %w", err)
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	shape := tensor.Shape{l.NOut, l.NIn, l.Kernel[0], l.Kernel[1], l.Kernel[2]}
	if _, err := shape.CheckedSize(1 << 31); err != nil {
		return nil, err
	}
	return l, l.WeightInit.Validate(shape)
}

// Preprocessor returns nil: Deeplearning4j inserts none.
func (l Convolution3D) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a volume of nOut channels.
func (l Convolution3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.window().outputType(in, l.NIn, l.NOut)
}

func (l Convolution3D) params(shape ...int) []Param {
	cells := float64(l.Kernel[0] * l.Kernel[1] * l.Kernel[2])
	w := l.Weight(Param{Name: "W", Shape: shape, Order: 'c', Init: Drawn(l.WeightInit, shape, weights.FanInOut{
		In: float64(l.NIn) * cells, Out: float64(l.NOut) * cells / float64(l.Stride[0]*l.Stride[1]*l.Stride[2])})})
	if l.NoBias {
		return []Param{w}
	}
	return []Param{l.Bias("b", l.NOut), w}
}

// Params are b [nOut] and W [nOut, nIn, kd, kh, kw].
func (l Convolution3D) Params() []Param {
	return l.params(l.NOut, l.NIn, l.Kernel[0], l.Kernel[1], l.Kernel[2])
}

// Forward emits the formula as a convolution of images. Their channels are those of all slices that the kernel covers.
func (l Convolution3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := t.ChannelsLast
	depth, plane, out, _ := l.window().over(in[0].Type.Read(last))
	x := padded(c, channelsFirst(c, in[0].Value, last), 2, depth.PadTop, depth.PadBottom)
	var met []*program.Value
	for k := range l.Kernel[0] {
		met = append(met, strided(c, x, 2, k*depth.DilationH, out[0], depth.StrideH))
	}
	filters := c.Reshape(c.Transpose(c.Params["W"], 0, 2, 1, 3, 4), l.NOut, l.Kernel[0]*l.NIn, l.Kernel[1], l.Kernel[2])
	z := stacked(c, c.Apply(program.Conv2D{Window: plane}, slices3(c, c.Concat(1, met...)), filters), out[0])
	return l.finish(c, z, in[0], t)
}

// finish adds the bias and applies the activation.
func (l Convolution3D) finish(c *Context, z *program.Value, in Activation, t inputtype.Type) Activation {
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["b"], l.NOut, 1, 1, 1))
	}
	return Activation{activate(c, l.Activation, z, t.ChannelsLast), passed(in.Mask), t}
}
