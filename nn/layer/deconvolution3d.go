package layer

import (
	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"Deconvolution3D", func() Layer { return Deconvolution3D{Format: ncdhw} })
}

// Deconvolution3D is the transposed convolution of volumes: x [batch, nIn, d, h, w] → act(y + b) [batch, nOut, od, oh,
// ow]. Each cell of x adds its multiple of the filters to y (Deeplearning4j: Deconvolution3D). Its settings are those
// of Convolution3D, its sizes those of Deconvolution2D.
type Deconvolution3D struct {
	Base
	NIn        int                   `dl4j:"nin"`
	NOut       int                   `dl4j:"nout"`
	Activation activation.Activation `dl4j:"activationFn"`
	NoBias     Not                   `dl4j:"hasBias"`
	Kernel     [3]int                `dl4j:"kernelSize"` // 2x2x2 if all are 0
	Stride     [3]int                `dl4j:"stride"`     // 1x1x1 if all are 0
	Padding    [3]int                `dl4j:"padding"`
	Dilation   [3]int                `dl4j:"dilation"` // 1x1x1 if all are 0
	Mode       ConvolutionMode       `dl4j:"convolutionMode"`
	Format     string                `dl4j:"dataFormat"`
	Inert      dl4j.Inert
}

// InertFields are the settings of cuDNN, and an image format.
func (l Deconvolution3D) InertFields() dl4j.Object { return Convolution1D{}.InertFields() }

// Sizes returns nIn and nOut.
func (l Deconvolution3D) Sizes() (nIn, nOut int) { return l.NIn, l.NOut }

// Complete fills in settings that are left open.
func (l Deconvolution3D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	completed, err := Convolution3D(l).Complete(d, in)
	if err != nil {
		return nil, err
	}
	return Deconvolution3D(completed.(Convolution3D)), nil
}

// Preprocessor returns nil: none is needed.
func (l Deconvolution3D) Preprocessor(inputtype.Type) Preprocessor { return nil }

// OutputType is a volume of nOut channels.
func (l Deconvolution3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := volume(in, l.NIn, l.Format)
	if err != nil {
		return t, err
	}
	w := Convolution3D(l).window()
	var out [3]int
	if out[0], err = w.depth().backwards(0, t.Depth); err != nil {
		return t, err
	}
	for i, size := range [2]int{t.Height, t.Width} {
		if out[1+i], err = w.plane().backwards(i, size); err != nil {
			return t, err
		}
	}
	t.Depth, t.Height, t.Width, t.Channels = out[0], out[1], out[2], l.NOut
	return t, nil
}

// Params are b [nOut] and W [kd, kh, kw, nOut, nIn].
func (l Deconvolution3D) Params() []Param {
	return Convolution3D(l).params(l.Kernel[0], l.Kernel[1], l.Kernel[2], l.NOut, l.NIn)
}

// Forward emits the formula. A transposed convolution of images computes the contribution of each slice to the slices
// of the kernel. The contributions are added.
func (l Deconvolution3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	depth, plane, _, _ := Convolution3D(l).window().over(t)
	x := channelsFirst(c, in[0].Value, t.ChannelsLast)
	n, d, kd, step := x.Shape[0], x.Shape[2], l.Kernel[0], l.Stride[0]
	filters := c.Reshape(c.Transpose(c.Params["W"], 4, 0, 3, 1, 2), l.NIn, kd*l.NOut, l.Kernel[1], l.Kernel[2])
	y := c.Apply(program.Conv2DGradInput{Window: plane, H: t.Height, W: t.Width}, slices3(c, x), filters)
	y = c.Reshape(y, n, d, kd, l.NOut, t.Height, t.Width)
	length := d*step + (kd-1)*l.Dilation[0]
	var sum *program.Value
	for k := range kd {
		part := c.Reshape(c.Slice(y, 2, k, k+1), n, d, 1, l.NOut, t.Height, t.Width)
		if step > 1 {
			part = c.Apply(program.Pad{Dim: 2, After: step - 1}, part)
		}
		before := k * l.Dilation[0]
		part = padded(c, c.Reshape(part, n, d*step, l.NOut, t.Height, t.Width), 1, before, length-d*step-before)
		if sum == nil {
			sum = part
		} else {
			sum = c.Add(sum, part)
		}
	}
	z := c.Transpose(c.Slice(sum, 1, depth.PadTop, depth.PadTop+t.Depth), 0, 2, 1, 3, 4)
	return Convolution3D(l).finish(c, z, in[0], t)
}
