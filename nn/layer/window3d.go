package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

// window3D says how kernels move over volumes; each triple is depth, height and width.
type window3D struct {
	kernel, stride, padding, dilation [3]int
	mode                              ConvolutionMode
	format                            string
}

// ones3 replaces strides and dilations of 0 by the default.
func ones3(v [3]int) [3]int {
	if v == [3]int{} {
		return [3]int{1, 1, 1}
	}
	return v
}

// depth is the window along the depth, over images of width 1; plane is the window over height and width.
func (w window3D) depth() window2D {
	return window2D{[2]int{w.kernel[0], 1}, [2]int{w.stride[0], 1}, [2]int{w.padding[0], 0},
		[2]int{w.dilation[0], 1}, w.mode, nchw}
}

func (w window3D) plane() window2D {
	pair := func(v [3]int) [2]int { return [2]int{v[1], v[2]} }
	return window2D{pair(w.kernel), pair(w.stride), pair(w.padding), pair(w.dilation), w.mode, nchw}
}

func (w window3D) check() error {
	for _, of := range []window2D{w.depth(), w.plane()} {
		if err := of.check(); err != nil {
			return fmt.Errorf("%w (kernelSize %v, stride %v, padding %v, dilation %v)", err, w.kernel, w.stride,
				w.padding, w.dilation)
		}
	}
	return checkVolumeFormat(w.format)
}

// over returns the windows along the depth and over the plane, and the size of the result.
func (w window3D) over(t inputtype.Type) (depth, plane program.Window, out [3]int, err error) {
	if w.mode == Strict {
		w.mode = Truncate // Deeplearning4j compares the depth's kernel and stride with all sizes, or nothing at all
	}
	depth, d, err := w.depth().over(t.Depth, 1)
	if err != nil {
		return depth, plane, out, fmt.Errorf("along the depth, as of images of width 1: %w", err)
	}
	plane, hw, err := w.plane().over(t.Height, t.Width)
	return depth, plane, [3]int{d[0], hw[0], hw[1]}, err
}

// outputType is the type of the result with nOut channels. If nIn is not 0, the input must have nIn channels.
func (w window3D) outputType(in []inputtype.Type, nIn, nOut int) (inputtype.Type, error) {
	t, err := volume(in, nIn, w.format)
	if err != nil {
		return t, err
	}
	_, _, out, err := w.over(t)
	if nOut == 0 {
		nOut = t.Channels
	}
	t.Depth, t.Height, t.Width, t.Channels = out[0], out[1], out[2], nOut
	return t, err
}

// slices3 turns the slices of a volume into images: x [batch, c, d, h, w] → [batch·d, c, h, w].
func slices3(c *Context, x *program.Value) *program.Value {
	s := x.Shape
	return c.Reshape(c.Transpose(x, 0, 2, 1, 3, 4), s[0]*s[2], s[1], s[3], s[4])
}

// stacked is the inverse of slices3.
func stacked(c *Context, x *program.Value, depth int) *program.Value {
	s := x.Shape
	return c.Transpose(c.Reshape(x, s[0]/max(1, depth), depth, s[1], s[2], s[3]), 0, 2, 1, 3, 4)
}
