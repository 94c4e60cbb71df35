package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"Subsampling1DLayer", func() Layer { return Subsampling1D{IncludePad: true} })
	Classes.Alias(javaPackage+"Pooling1D", javaPackage+"Subsampling1DLayer")
}

// Subsampling1D combines windows of sequences: x [batch, n, t] → [batch, n, ot] (Deeplearning4j: Subsampling1DLayer).
// In files, kernel, stride, padding and dilation are pairs, of which only the first number counts. A mask [batch,
// time] is shortened and passed on.
type Subsampling1D struct {
	Bare
	Pooling  PoolingType `dl4j:"poolingType"` // MAX if it is empty
	Kernel   [2]int      `dl4j:"kernelSize"`  // 1 if both are 0
	Stride   [2]int      `dl4j:"stride"`      // 2 if both are 0
	Padding  [2]int      `dl4j:"padding"`
	Dilation [2]int      `dl4j:"dilation"` // 1 if both are 0
	// Mode is the convolution mode; empty means the network's.
	Mode ConvolutionMode `dl4j:"convolutionMode"`
	// IncludePad lets AVG divide by the window's size, the padding included.
	IncludePad bool `dl4j:"avgPoolIncludePadInDivisor"`
	PNorm      int  `dl4j:"pnorm"` // the p of PNORM
	// Format is NCHW for sequences [batch, size, time] and NHWC for [batch, time, size]; it follows from the input
	// type if that is known.
	Format string `dl4j:"cnn2dDataFormat"`
	Inert  dl4j.Inert
}

// InertFields are those of Subsampling.
func (l Subsampling1D) InertFields() dl4j.Object { return Subsampling{}.InertFields() }

func (l Subsampling1D) window() window1D {
	return newWindow1D(l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode)
}

// DataFormat is NCW, or NWC if Format is NHWC.
func (l Subsampling1D) DataFormat() string {
	if l.Format == nhwc {
		return inputtype.NWC
	}
	return inputtype.NCW
}

// Complete fills in settings that are left open.
func (l Subsampling1D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Pooling == "" {
		l.Pooling = MaxPooling
	}
	if l.Mode == "" {
		l.Mode = d.ConvolutionMode
	}
	t, err := Single(in)
	if err != nil {
		return nil, err
	}
	switch known := t.Kind == inputtype.RecurrentKind && !d.FromFile; {
	case known && t.Format == inputtype.NWC:
		l.Format = nhwc
	case known || l.Format == "":
		l.Format = nchw
	}
	if !d.FromFile {
		if l.Kernel[1] == 0 {
			l.Kernel[1] = 1
		}
		l.Kernel[0] = max(l.Kernel[0], 1)
	}
	l.Stride, l.Dilation = twice(l.Stride, 2), twice(l.Dilation, 1)
	if err := checkPooling(l.Pooling, l.PNorm); err != nil {
		return nil, err
	}
	if err := checkFormat(l.Format); err != nil {
		return nil, fmt.Errorf("%w; of sequences they say NCW and NWC", err)
	}
	return l, l.window().check()
}

// Preprocessor combines vectors and images, which are steps, into sequences.
func (l Subsampling1D) Preprocessor(in inputtype.Type) Preprocessor {
	return toSequence(in, inputtype.NCW)
}

// OutputType is a sequence of vectors with the same number of elements.
func (l Subsampling1D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := sequence(in, 0, l.DataFormat())
	if err != nil {
		return t, err
	}
	return l.window().outputType(t, t.Size)
}

// Forward emits the formula.
func (l Subsampling1D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	last := l.Format == nhwc
	x := channelsFirst(c, in[0].Value, last)
	w, _, err := l.window().over(x.Shape[2])
	if err != nil {
		panic(&program.ShapeError{Op: "pooling", Shapes: []tensor.Shape{x.Shape}, Reason: err.Error()})
	}
	y := pool(c, l.Pooling, l.PNorm, c.Reshape(x, x.Shape[0], x.Shape[1], x.Shape[2], 1),
		program.Pool2D{KH: l.Kernel[0], KW: 1, Window: w, IncludePad: l.IncludePad})
	return Activation{channelsLast(c, c.Reshape(y, y.Shape[:3]...), last), l.window().mask(c, in[0].Mask), t}
}
