package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Causal, for Convolution1D and Subsampling1D, only pads before the sequence, so that a step of the result does not
// depend on later steps. The result has ceil(size/stride) steps, and Padding has no effect.
const Causal ConvolutionMode = "Causal"

// window1D says how kernels move over sequences, which are images of width 1 here.
type window1D struct {
	window2D // only the first of each pair counts
}

// newWindow1D converts the pairs of files.
func newWindow1D(kernel, stride, padding, dilation [2]int, mode ConvolutionMode) window1D {
	return window1D{window2D{[2]int{kernel[0], 1}, [2]int{stride[0], 1}, [2]int{padding[0], 0},
		[2]int{dilation[0], 1}, mode, nchw}}
}

func (w window1D) check() error {
	if w.mode == Causal {
		w.mode = Same
	}
	return w.window2D.check()
}

// over returns the program's window for sequences of the given steps, and the steps of the result.
func (w window1D) over(steps int) (program.Window, int, error) {
	if w.mode != Causal {
		p, out, err := w.window2D.over(steps, 1)
		return p, out[0], err
	}
	return program.Window{StrideH: w.stride[0], StrideW: 1, DilationH: w.dilation[0], DilationW: 1,
		PadTop: (w.kernel[0] - 1) * w.dilation[0]}, (steps + w.stride[0] - 1) / w.stride[0], nil
}

// outputType is a sequence of vectors of n elements.
func (w window1D) outputType(t inputtype.Type, n int) (inputtype.Type, error) {
	t.Size = n
	if t.TimeSteps == 0 {
		return t, nil
	}
	var err error
	_, t.TimeSteps, err = w.over(t.TimeSteps)
	return t, err
}

// mask returns the mask of the result: 1 where the window covers a step that is present. If Same or Causal does not
// change the length, it returns the mask itself. As in Deeplearning4j, the windows over masks are those of Same even
// in mode Causal.
func (w window1D) mask(c *Context, mask *program.Value) *program.Value {
	if mask == nil || (w.mode == Same || w.mode == Causal) && w.stride[0] == 1 {
		return mask
	}
	if len(mask.Shape) != 2 {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape},
			Reason: "a mask of sequences must be [batch, time]"})
	}
	if w.mode == Causal {
		w.mode = Same
	}
	over, _, err := w.over(mask.Shape[1])
	if err != nil {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape}, Reason: err.Error()})
	}
	m := c.Reshape(mask, mask.Shape[0], 1, mask.Shape[1], 1)
	m = c.Apply(program.Pool2D{Kind: program.MaxPool, KH: w.kernel[0], KW: 1, Window: over}, m)
	return c.Reshape(m, m.Shape[0], m.Shape[2])
}
