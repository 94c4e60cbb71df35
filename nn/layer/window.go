package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// ConvolutionMode chooses the padding at the borders of an image.
type ConvolutionMode string

const (
	// Strict pads as configured; stride and size must divide without a rest.
	Strict ConvolutionMode = "Strict"
	// Truncate pads as configured. Pixels at the right and the bottom that do not fill a window are left out.
	Truncate ConvolutionMode = "Truncate"
	// Same pads so that the result has ceil(size/stride) cells; Padding has no effect.
	Same ConvolutionMode = "Same"
)

// window2D says how kernels move over images; each pair is height and width.
type window2D struct {
	kernel, stride, padding, dilation [2]int
	mode                              ConvolutionMode
	format                            string
}

// ones replaces strides and dilations of 0 by the default.
func ones(v [2]int) [2]int {
	if v == [2]int{} {
		return [2]int{1, 1}
	}
	return v
}

func (w window2D) check() error {
	for i := range 2 {
		if w.kernel[i] < 1 || w.stride[i] < 1 || w.dilation[i] < 1 || w.padding[i] < 0 {
			return fmt.Errorf("kernelSize %v, stride %v and dilation %v must be positive, and padding %v not negative",
				w.kernel, w.stride, w.dilation, w.padding)
		}
		if max(w.kernel[i], w.stride[i], w.dilation[i], w.padding[i]) > 1<<20 {
			return fmt.Errorf("kernelSize %v, stride %v, dilation %v or padding %v is too large", w.kernel, w.stride,
				w.dilation, w.padding)
		}
	}
	switch w.mode {
	case Strict, Truncate, Same:
	default:
		return fmt.Errorf("convolutionMode %q is not one for images: Strict, Truncate and Same are", w.mode)
	}
	return checkFormat(w.format)
}

// over returns the program's window for an image, and the size of the result.
func (w window2D) over(height, width int) (program.Window, [2]int, error) {
	before, after, out := [2]int{}, [2]int{}, [2]int{}
	for i, size := range [2]int{height, width} {
		extent := w.kernel[i] + (w.kernel[i]-1)*(w.dilation[i]-1)
		if w.mode == Same {
			out[i] = (size + w.stride[i] - 1) / w.stride[i]
			total := max((out[i]-1)*w.stride[i]+extent-size, 0)
			before[i] = total / 2
			after[i] = total - before[i]
			continue
		}
		before[i], after[i] = w.padding[i], w.padding[i]
		room := size + 2*w.padding[i] - extent
		if room < 0 {
			return program.Window{}, out,
				fmt.Errorf("the kernel %v (dilation %v) is larger than the image of %dx%d with padding %v",
					w.kernel, w.dilation, height, width, w.padding)
		}
		if w.mode == Strict && room%w.stride[i] != 0 {
			return program.Window{}, out,
				fmt.Errorf("mode Strict: (%d − %d + 2·%d)/%d is not whole for %s; use Truncate or Same",
					size, extent, w.padding[i], w.stride[i], [2]string{"the height", "the width"}[i])
		}
		out[i] = room/w.stride[i] + 1
	}
	return program.Window{
		StrideH: w.stride[0], StrideW: w.stride[1], DilationH: w.dilation[0], DilationW: w.dilation[1],
		PadTop: before[0], PadLeft: before[1], PadBottom: after[0], PadRight: after[1],
	}, out, nil
}

// mask returns the mask of the result: 1 where the window covers a cell that is present. If Same does not change the
// size, it returns the mask itself. It handles masks of images, [batch, 1 or channels, 1 or height, 1 or width], and
// passes others on.
func (w window2D) mask(c *Context, mask *program.Value) *program.Value {
	if mask == nil || len(mask.Shape) != 4 || w.mode == Same && w.stride == [2]int{1, 1} {
		return mask
	}
	for i, size := range mask.Shape[2:] {
		if size == 1 { // the mask is constant along this dimension
			w.kernel[i], w.stride[i], w.padding[i], w.dilation[i] = 1, 1, 0, 1
		}
	}
	over, _, err := w.over(mask.Shape[2], mask.Shape[3])
	if err != nil {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape}, Reason: err.Error()})
	}
	return c.Apply(program.Pool2D{Kind: program.MaxPool, KH: w.kernel[0], KW: w.kernel[1], Window: over}, mask)
}

// outputType is the type of the result with nOut channels. If nIn is not 0, the input must have nIn channels.
func (w window2D) outputType(in []inputtype.Type, nIn, nOut int) (inputtype.Type, error) {
	t, err := image(in, nIn, w.format)
	if err != nil {
		return t, err
	}
	_, out, err := w.over(t.Height, t.Width)
	t.Height, t.Width, t.Channels = out[0], out[1], nOut
	return t, err
}

// image checks that the only input is an image, of nIn channels unless that is 0, and reads it in the given data
// format.
func image(in []inputtype.Type, nIn int, format string) (inputtype.Type, error) {
	t, err := Single(in)
	if err != nil {
		return t, err
	}
	if t.Kind != inputtype.ConvolutionalKind {
		return t, fmt.Errorf("takes images [batch, channels, height, width], got %v; set the network's input type", t)
	}
	last := format == nhwc
	if t.ChannelsLast && !last {
		return t, fmt.Errorf("has the data format %s, and gets %v; leave the format open where the input type is set",
			format, t)
	}
	t = t.Read(last)
	if nIn != 0 && t.Channels != nIn {
		return t, fmt.Errorf("takes images with %d channels (nIn), got %v", nIn, t)
	}
	return t, nil
}

func toImages(in inputtype.Type) Preprocessor {
	if in.Kind == inputtype.ConvolutionalFlatKind {
		return FeedForwardToCnn{Height: in.Height, Width: in.Width, Channels: in.Channels}
	}
	return nil
}
