package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// PoolingType says how a window of an image is combined.
type PoolingType string

// The pooling types. MAX ignores the padding; AVG divides by the number of cells inside the image; PNORM is
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
	Pooling  PoolingType `dl4j:"poolingType"` // MAX if it is empty
	Kernel   [2]int      `dl4j:"kernelSize"`  // 1x1 if both are 0
	Stride   [2]int      `dl4j:"stride"`      // 2x2 if both are 0
	Padding  [2]int      `dl4j:"padding"`
	Dilation [2]int      `dl4j:"dilation"` // 1x1 if both are 0
	// Mode is the convolution mode; empty means the network's.
	Mode ConvolutionMode `dl4j:"convolutionMode"`
	// IncludePad lets AVG divide by the window's size, the padding included.
	IncludePad bool   `dl4j:"avgPoolIncludePadInDivisor"`
	PNorm      int    `dl4j:"pnorm"`           // the p of PNORM
	Format     string `dl4j:"cnn2dDataFormat"` // NCHW or NHWC; by default, that of the input type
	Inert      dl4j.Inert
}

// InertFields are a switch of cuDNN, and an epsilon that only Deeplearning4j's backward pass of PNORM uses.
func (l Subsampling) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAllowFallback", Value: true}, {Name: "eps", Value: 1e-8}}
}

func (l Subsampling) window() window2D {
	return window2D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills in settings that are left open.
func (l Subsampling) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Pooling == "" {
		l.Pooling = MaxPooling
	}
	if l.Mode == "" {
		l.Mode = d.ConvolutionMode
	}
	l.Format = imageFormat(l.Format, d, in)
	if l.Stride == [2]int{} {
		l.Stride = [2]int{2, 2}
	}
	l.Kernel, l.Dilation = ones(l.Kernel), ones(l.Dilation)
	if err := checkPooling(l.Pooling, l.PNorm); err != nil {
		return nil, err
	}
	return l, l.window().check()
}

func checkPooling(kind PoolingType, pNorm int) error {
	switch kind {
	case MaxPooling, AvgPooling, SumPooling:
	case PNormPooling:
		if pNorm < 1 {
			return fmt.Errorf("pnorm is %d: it must be positive", pNorm)
		}
	default:
		return fmt.Errorf("poolingType %q is unknown: MAX, AVG, SUM and PNORM are known", kind)
	}
	return nil
}

// Preprocessor restores the shape of flat images.
func (l Subsampling) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is an image with the same number of channels.
func (l Subsampling) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	if err != nil {
		return t, err
	}
	return l.window().outputType(in, 0, t.Channels)
}

// Forward emits the formula.
func (l Subsampling) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := l.Format == nhwc
	of := in[0].Type.Read(last)
	w, _, _ := l.window().over(of.Height, of.Width)
	y := pool(c, l.Pooling, l.PNorm, channelsFirst(c, in[0].Value, last),
		program.Pool2D{KH: l.Kernel[0], KW: l.Kernel[1], Window: w, IncludePad: l.IncludePad})
	return Activation{Value: channelsLast(c, y, last), Mask: l.window().mask(c, in[0].Mask), Type: t}
}

// pool combines the windows of images.
func pool(c *Context, kind PoolingType, pNorm int, x *program.Value, pool program.Pool2D) *program.Value {
	pool.Kind = program.AveragePool
	sum := func(x *program.Value) *program.Value {
		pool.IncludePad = true
		return c.Mul(c.Apply(pool, x), c.Fill(float64(pool.KH*pool.KW)))
	}
	switch kind {
	case MaxPooling:
		pool.Kind, pool.IncludePad = program.MaxPool, false
		return c.Apply(pool, x)
	case AvgPooling:
		return c.Apply(pool, x)
	case SumPooling:
		return sum(x)
	}
	p := float64(pNorm)
	powers := sum(c.Binary(program.Pow, c.Unary(program.Abs, x), c.Fill(p)))
	// Held above 0, because the root has no derivative there.
	return c.Binary(program.Pow, c.Max(powers, c.Fill(1e-30)), c.Fill(1/p))
}
