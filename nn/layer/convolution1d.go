package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/weights"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"Convolution1DLayer", func() Layer { return Convolution1D{Format: inputtype.NCW} })
	Classes.Alias(javaPackage+"Convolution1D", javaPackage+"Convolution1DLayer")
}

// Convolution1D slides filters over sequences: x [batch, nIn, t] → act(x ⋆ W + b) [batch, nOut, ot], where ⋆ is the
// cross-correlation (Deeplearning4j: Convolution1DLayer). In files, kernel, stride, padding and dilation are pairs, of
// which only the first number counts.
//
// W has the shape [nOut, nIn, k, 1]. As in Deeplearning4j, its elements are read as if they were stored as [k, nIn,
// nOut]. A mask [batch, time] is shortened and passed on, and has no other effect, as in Deeplearning4j.
type Convolution1D struct {
	Base
	// NIn is the number of elements of a step; if it is 0, it follows from the input type.
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"` // the number of filters
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [2]int                `dl4j:"kernelSize"`
	Stride     [2]int                `dl4j:"stride"` // 1 if both are 0
	Padding    [2]int                `dl4j:"padding"`
	Dilation   [2]int                `dl4j:"dilation"` // 1 if both are 0
	// Mode is the convolution mode; empty means the network's.
	Mode   ConvolutionMode `dl4j:"convolutionMode"`
	Format string          `dl4j:"rnnDataFormat"` // inputtype.NCW or NWC; by default, that of the input type
	Inert  dl4j.Inert
}

// InertFields are the settings of cuDNN, and an image format, which sequences don't have.
func (l Convolution1D) InertFields() dl4j.Object {
	return append(Convolution2D{}.InertFields(), dl4j.Member{Name: "cnn2dDataFormat", Value: nchw})
}

// Sizes returns nIn and nOut.
func (l Convolution1D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

func (l Convolution1D) window() window1D {
	return newWindow1D(l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode)
}

// twice completes a pair from its first number.
func twice(v [2]int, usual int) [2]int {
	if v == [2]int{} {
		v[0] = usual
	}
	if v[1] == 0 {
		v[1] = v[0]
	}
	return v
}

// Complete fills in settings that are left open.
func (l Convolution1D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
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
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	if err := completeFormat(&l.Format, t, d); err != nil {
		return nil, err
	}
	if !d.FromFile {
		l.Kernel, l.Padding = twice(l.Kernel, 0), twice(l.Padding, 0)
	}
	l.Stride, l.Dilation = twice(l.Stride, 1), twice(l.Dilation, 1)
	if l.NIn == 0 && t.Kind == inputtype.RecurrentKind {
		l.NIn = t.As(l.Format).Size
	}
	if err := l.window().check(); err != nil {
		return nil, err
	}
	if err := positive(l.NIn, l.NOut); err != nil {
		return nil, err
	}
	return l, l.WeightInit.Validate([]int{l.NOut, l.NIn, l.Kernel[0], 1})
}

// Preprocessor combines vectors and images, which are steps, into sequences.
func (l Convolution1D) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, l.Format)
}

// OutputType is a sequence of vectors of nOut elements.
func (l Convolution1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, l.NIn, l.Format)
	if err != nil {
		return t, err
	}
	return l.window().outputType(t, l.NOut)
}

// Params are b [nOut] and W [nOut, nIn, k, 1]. Their fans use k·k and stride·stride, because Deeplearning4j uses both
// numbers of the pairs.
func (l Convolution1D) Params() []Param {
	shape := []int{l.NOut, l.NIn, l.Kernel[0], 1}
	area := l.Kernel[0] * max(1, l.Kernel[1])
	w := l.Weight(Param{Name: "W", Shape: shape, Order: 'c', Elements: []int{l.Kernel[0], l.NIn, l.NOut}, Rows: 1,
		Columns: 2, Init: Drawn(l.WeightInit, shape, weights.FanInOut{
			In: float64(l.NIn * area), Out: float64(l.NOut*area) / float64(l.Stride[0]*l.Stride[1])})})
	if l.NoBias {
		return []Param{w}
	}
	return []Param{l.Bias("b", l.NOut), w}
}

// Forward emits the formula.
func (l Convolution1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := l.Format == inputtype.NWC
	x := channelsFirst(c, in[0].Value, last)
	w, _, err := l.window().over(x.Shape[2])
	if err != nil {
		panic(&program.ShapeError{Op: "convolution", Shapes: []tensor.Shape{x.Shape}, Reason: err.Error()})
	}
	filters := c.Transpose(c.Reshape(c.Params["W"], l.Kernel[0], l.NIn, l.NOut), 2, 1, 0)
	z := c.Apply(program.Conv2D{Window: w}, c.Reshape(x, x.Shape[0], l.NIn, x.Shape[2], 1),
		c.Reshape(filters, l.NOut, l.NIn, l.Kernel[0], 1))
	z = c.Reshape(z, z.Shape[:3]...)
	if !l.NoBias {
		z = c.Add(z, c.Reshape(c.Params["b"], l.NOut, 1))
	}
	return Activation{activate(c, l.Activation, z, last), l.window().mask(c, in[0].Mask), t}
}
