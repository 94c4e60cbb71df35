package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/preprocessor"
	"github.com/dl4go/dl4go/program"
)

// PoolingType is how a window of an image is combined.
type PoolingType string

// The pooling types. MAX does not see the padding; AVG divides by the number of cells inside the image; PNORM is
// (Σ|x|ᵖ)^(1/p).
const (
	MaxPooling   PoolingType = "MAX"
	AvgPooling   PoolingType = "AVG"
	SumPooling   PoolingType = "SUM"
	PNormPooling PoolingType = "PNORM"
)

// Subsampling combines windows of images: x [batch, c, h, w] → [batch, c, oh, ow] (Deeplearning4j: SubsamplingLayer).
// Each pair is height and width.
type Subsampling struct {
	Bare
	Pooling  PoolingType `dl4j:"poolingType"` // MAX where it is empty
	Kernel   [2]int      `dl4j:"kernelSize"`  // 1x1 where both are 0
	Stride   [2]int      `dl4j:"stride"`      // 2x2 where both are 0
	Padding  [2]int      `dl4j:"padding"`
	Dilation [2]int      `dl4j:"dilation"` // 1x1 where both are 0
	// Mode is the network's where it is empty.
	Mode ConvolutionMode `dl4j:"convolutionMode"`
	// IncludePad lets AVG divide by the window's size, the padding included.
	IncludePad bool   `dl4j:"avgPoolIncludePadInDivisor"`
	PNorm      int    `dl4j:"pnorm"`           // the p of PNORM
	Format     string `dl4j:"cnn2dDataFormat"` // "NCHW"
	Inert      dl4j.Inert
}

// InertFields are a switch of cuDNN and an epsilon that only Deeplearning4j's backward pass of PNORM knows.
func (l Subsampling) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAllowFallback", Value: true}, {Name: "eps", Value: 1e-8}}
}

func (l Subsampling) window() window2D {
	return window2D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills what is open.
func (l Subsampling) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.complete(d)
	if l.Pooling == "" {
		l.Pooling = MaxPooling
	}
	if l.Mode == "" {
		l.Mode = d.ConvolutionMode
	}
	if l.Format == "" {
		l.Format = "NCHW"
	}
	if l.Stride == [2]int{} {
		l.Stride = [2]int{2, 2}
	}
	l.Kernel, l.Dilation = ones(l.Kernel), ones(l.Dilation)
	switch l.Pooling {
	case MaxPooling, AvgPooling, SumPooling:
	case PNormPooling:
		if l.PNorm < 1 {
			return nil, fmt.Errorf("pnorm is %d: it must be positive", l.PNorm)
		}
	default:
		return nil, fmt.Errorf("poolingType %q is unknown: MAX, AVG, SUM and PNORM are known", l.Pooling)
	}
	return l, l.window().check()
}

// Preprocessor makes images of flat ones.
func (l Subsampling) Preprocessor(in inputtype.Type) preprocessor.Preprocessor { return toImages(in) }

// OutputType is an image of as many channels.
func (l Subsampling) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0)
	if err != nil {
		return t, err
	}
	return l.window().outputType(in, 0, t.Channels)
}

// Forward emits the formula.
func (l Subsampling) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	w, _, _ := l.window().over(in[0].Type.Height, in[0].Type.Width)
	pool := program.Pool2D{Kind: program.AveragePool, KH: l.Kernel[0], KW: l.Kernel[1], Window: w, IncludePad: l.IncludePad}
	x := in[0].Value
	sum := func(x *program.Value) *program.Value {
		pool.IncludePad = true
		return c.Mul(c.Apply(pool, x), c.Fill(float64(pool.KH*pool.KW)))
	}
	var y *program.Value
	switch l.Pooling {
	case MaxPooling:
		pool.Kind, pool.IncludePad = program.MaxPool, false
		y = c.Apply(pool, x)
	case AvgPooling:
		y = c.Apply(pool, x)
	case SumPooling:
		y = sum(x)
	case PNormPooling:
		p := float64(l.PNorm)
		powers := sum(c.Binary(program.Pow, c.Unary(program.Abs, x), c.Fill(p)))
		// Held above 0, where the root has no derivative.
		y = c.Binary(program.Pow, c.Max(powers, c.Fill(1e-30)), c.Fill(1/p))
	}
	return Activation{Value: y, Mask: in[0].Mask, Type: t}
}
