package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"DepthwiseConvolution2D", func() Layer { return DepthwiseConvolution2D{Format: nchw} })
	Classes.Register(javaPackage+"SeparableConvolution2D", func() Layer { return SeparableConvolution2D{Format: nchw} })
}

// DepthwiseConvolution2D slides DepthMultiplier filters over each channel of images separately: x [batch, nIn, h, w] →
// act(y + b) [batch, nIn·DepthMultiplier, oh, ow]. Filter k of channel i computes channel i·DepthMultiplier + k
// (Deeplearning4j: DepthwiseConvolution2D). The other settings are those of Convolution2D.
type DepthwiseConvolution2D struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // nIn·DepthMultiplier; it may be 0
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [2]int                `dl4j:"kernelSize"`
	Stride     [2]int                `dl4j:"stride"`
	Padding    [2]int                `dl4j:"padding"`
	Dilation   [2]int                `dl4j:"dilation"`
	Mode       ConvolutionMode       `dl4j:"convolutionMode"`
	Format     string                `dl4j:"cnn2dDataFormat"`
	// DepthMultiplier is the number of filters per channel; 0 means 1.
	DepthMultiplier int `dl4j:"depthMultiplier"`
	Inert           dl4j.Inert
}

// InertFields are those of Convolution2D.
func (l DepthwiseConvolution2D) InertFields() dl4j.Object { return Convolution2D{}.InertFields() }

// Sizes returns nIn and nOut.
func (l DepthwiseConvolution2D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l DepthwiseConvolution2D) plain() Convolution2D {
	return Convolution2D{Base: l.Base, NIn: l.NIn, NOut: l.NOut, Activation: l.Activation,
		NoBias: l.NoBias, Kernel: l.Kernel,
		Stride: l.Stride, Padding: l.Padding, Dilation: l.Dilation, Mode: l.Mode, Format: l.Format}
}

// Untrainable returns the reason why the layer can only be used in inference, or nil.
func (l DepthwiseConvolution2D) Untrainable() error { return oneUpdater(l.Base) }

// oneUpdater refuses a bias with its own updater. In Deeplearning4j's updater state, such a bias gets the place of
// some weights.
func oneUpdater(b Base) error {
	if b.BiasUpdater != nil && b.Updater != nil && !b.BiasUpdater.Equal(b.Updater) {
		return fmt.Errorf("biasUpdater: a bias with an updater of its own is not possible in this layer, where " +
			"Deeplearning4j " +
			"takes a part of the weights for the bias")
	}
	return nil
}

// Complete fills in settings that are left open.
func (l DepthwiseConvolution2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	if l.DepthMultiplier == 0 {
		l.DepthMultiplier = 1
	}
	if err := checkTimes("depthMultiplier", []int{l.DepthMultiplier}); err != nil {
		return nil, err
	}
	p := l.plain()
	p.NOut = max(p.NOut, 1)
	completed, err := p.Complete(d, in)
	if err != nil {
		return nil, err
	}
	p = completed.(Convolution2D)
	if l.NOut != 0 && l.NOut != p.NIn*l.DepthMultiplier {
		return nil, fmt.Errorf("nOut is %d: it must be nIn·depthMultiplier, %d·%d; leave it 0", l.NOut,
			p.NIn, l.DepthMultiplier)
	}
	l.Base, l.NIn, l.NOut, l.Activation, l.Mode, l.Format = p.Base, p.NIn, p.NIn*l.DepthMultiplier,
		p.Activation, p.Mode, p.Format
	l.Kernel, l.Stride, l.Padding, l.Dilation = p.Kernel, p.Stride, p.Padding, p.Dilation
	if d.FromFile {
		return l, nil
	}
	return l, oneUpdater(l.Base)
}

// Preprocessor restores the shape of flat images.
func (l DepthwiseConvolution2D) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is an image of nOut channels.
func (l DepthwiseConvolution2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.plain().OutputType(in)
}

// Params are b [nOut] and W [kh, kw, nIn, DepthMultiplier].
func (l DepthwiseConvolution2D) Params() []Param {
	shape := []int{l.Kernel[0], l.Kernel[1], l.NIn, l.DepthMultiplier}
	ps := []Param{l.Weight(Param{Name: "W", Shape: shape, Order: 'c', Elements: shape, Rows: 2, Columns: 3,
		Init: Drawn(l.WeightInit, shape, l.plain().depthFan(l.DepthMultiplier))})}
	if l.NoBias {
		return ps
	}
	return append([]Param{l.Bias("b", l.NOut)}, ps...)
}

func (l Convolution2D) depthFan(multiplier int) weights.FanInOut {
	area := float64(l.Kernel[0] * l.Kernel[1])
	return weights.FanInOut{In: float64(l.NIn) * area, Out: float64(multiplier) * area / float64(l.Stride[0]*l.Stride[1])}
}

// Forward emits the formula.
func (l DepthwiseConvolution2D) Forward(c *Context, in []Activation) Activation {
	filters := c.Transpose(c.Params["W"], 2, 3, 0, 1) // [nIn, DepthMultiplier, kh, kw]
	return l.plain().emit(c, in, func(x *program.Value, w program.Window) *program.Value {
		return c.Apply(program.DepthwiseConv2D{Window: w}, x, filters)
	})
}

// Untrainable returns the reason why the layer can only be used in inference, or nil.
func (l SeparableConvolution2D) Untrainable() error { return oneUpdater(l.Base) }

// SeparableConvolution2D is a DepthwiseConvolution2D with the weights W, followed by a convolution of 1 by 1 with the
// weights pW: x [batch, nIn, h, w] → act(y + b) [batch, nOut, oh, ow] (Deeplearning4j: SeparableConvolution2D). The
// other settings are those of Convolution2D.
type SeparableConvolution2D struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [2]int                `dl4j:"kernelSize"`
	Stride     [2]int                `dl4j:"stride"`
	Padding    [2]int                `dl4j:"padding"`
	Dilation   [2]int                `dl4j:"dilation"`
	Mode       ConvolutionMode       `dl4j:"convolutionMode"`
	Format     string                `dl4j:"cnn2dDataFormat"`
	// DepthMultiplier is the number of filters per channel before pW; 0 means 1.
	DepthMultiplier int `dl4j:"depthMultiplier"`
	Inert           dl4j.Inert
}

// InertFields are those of Convolution2D.
func (l SeparableConvolution2D) InertFields() dl4j.Object { return Convolution2D{}.InertFields() }

// Sizes returns nIn and nOut.
func (l SeparableConvolution2D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l SeparableConvolution2D) plain() Convolution2D {
	return DepthwiseConvolution2D(l).plain()
}

// Complete fills in settings that are left open.
func (l SeparableConvolution2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	if l.DepthMultiplier == 0 {
		l.DepthMultiplier = 1
	}
	if err := checkTimes("depthMultiplier", []int{l.DepthMultiplier}); err != nil {
		return nil, err
	}
	completed, err := l.plain().Complete(d, in)
	if err != nil {
		return nil, err
	}
	p := completed.(Convolution2D)
	l.Base, l.NIn, l.Activation, l.Mode, l.Format = p.Base, p.NIn, p.Activation, p.Mode, p.Format
	l.Kernel, l.Stride, l.Padding, l.Dilation = p.Kernel, p.Stride, p.Padding, p.Dilation
	if d.FromFile {
		return l, nil
	}
	return l, oneUpdater(l.Base)
}

// Preprocessor restores the shape of flat images.
func (l SeparableConvolution2D) Preprocessor(in inputtype.Type) Preprocessor {
	return toImages(in)
}

// OutputType is an image of nOut channels.
func (l SeparableConvolution2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.plain().OutputType(in)
}

// Params are b [nOut], W [DepthMultiplier, nIn, kh, kw] and pW [nOut, nIn·DepthMultiplier, 1, 1].
func (l SeparableConvolution2D) Params() []Param {
	deep, point := []int{l.DepthMultiplier, l.NIn, l.Kernel[0], l.Kernel[1]},
		[]int{l.NOut, l.NIn * l.DepthMultiplier, 1, 1}
	fan := float64(l.NIn * l.DepthMultiplier)
	ps := []Param{
		l.Weight(Param{Name: "W", Shape: deep, Order: 'c',
			Init: Drawn(l.WeightInit, deep, l.plain().depthFan(l.DepthMultiplier))}),
		l.Weight(Param{Name: "pW", Shape: point, Order: 'c',
			Init: Drawn(l.WeightInit, point, weights.FanInOut{In: fan, Out: fan})}),
	}
	if l.NoBias {
		return ps
	}
	return append([]Param{l.Bias("b", l.NOut)}, ps...)
}

// Forward emits the formula.
func (l SeparableConvolution2D) Forward(c *Context, in []Activation) Activation {
	filters := c.Transpose(c.Params["W"], 1, 0, 2, 3) // [nIn, DepthMultiplier, kh, kw]
	return l.plain().emit(c, in, func(x *program.Value, w program.Window) *program.Value {
		y := c.Apply(program.DepthwiseConv2D{Window: w}, x, filters)
		return c.Apply(program.Conv2D{Window: program.Window{StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1}}, y,
			c.Params["pW"])
	})
}
