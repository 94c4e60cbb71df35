package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"Subsampling3DLayer", func() Layer { return Subsampling3D{Format: ncdhw} })
}

// Subsampling3D combines windows of volumes: x [batch, c, d, h, w] → [batch, c, od, oh, ow] (Deeplearning4j:
// Subsampling3DLayer). Each triple is depth, height and width.
type Subsampling3D struct {
	Bare
	Pooling  PoolingType `dl4j:"poolingType"` // MaxPooling, the default, or AvgPooling
	Kernel   [3]int      `dl4j:"kernelSize"`  // 1x1x1 if all are 0
	Stride   [3]int      `dl4j:"stride"`      // 2x2x2 if all are 0
	Padding  [3]int      `dl4j:"padding"`
	Dilation [3]int      `dl4j:"dilation"` // 1x1x1 if all are 0
	// Mode is the convolution mode; empty means the network's.
	Mode   ConvolutionMode `dl4j:"convolutionMode"`
	Format string          `dl4j:"dataFormat"` // NCDHW or NDHWC; by default, that of the input type
	Inert  dl4j.Inert
}

// InertFields are a switch of cuDNN.
func (l Subsampling3D) InertFields() dl4j.Object {
	return dl4j.Object{{Name: "cudnnAllowFallback", Value: true}}
}

func (l Subsampling3D) window() window3D {
	return window3D{l.Kernel, l.Stride, l.Padding, l.Dilation, l.Mode, l.Format}
}

// Complete fills in settings that are left open.
func (l Subsampling3D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	if l.Pooling == "" {
		l.Pooling = MaxPooling
	}
	if l.Mode == "" {
		l.Mode = d.ConvolutionMode
	}
	l.Format = volumeFormat(l.Format, d, in)
	if l.Stride == [3]int{} {
		l.Stride = [3]int{2, 2, 2}
	}
	l.Kernel, l.Dilation = ones3(l.Kernel), ones3(l.Dilation)
	if l.Pooling != MaxPooling && l.Pooling != AvgPooling {
		return nil, fmt.Errorf("poolingType %q is not one for volumes: MAX and AVG are", l.Pooling)
	}
	return l, l.window().check()
}

// OutputType is a volume with the same number of channels.
func (l Subsampling3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	return l.window().outputType(in, 0, 0)
}

// Forward emits the formula: it combines the windows within slices, and then the results along the depth.
func (l Subsampling3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	depth, plane, out, _ := l.window().over(in[0].Type.Read(t.ChannelsLast))
	x := channelsFirst(c, in[0].Value, t.ChannelsLast)
	s := x.Shape
	y := pool(c, l.Pooling, 0, c.Reshape(x, s[0], s[1]*s[2], s[3], s[4]),
		program.Pool2D{KH: l.Kernel[1], KW: l.Kernel[2], Window: plane})
	y = pool(c, l.Pooling, 0, c.Reshape(y, s[0], s[1], s[2], out[1]*out[2]),
		program.Pool2D{KH: l.Kernel[0], KW: 1, Window: depth})
	y = c.Reshape(y, s[0], s[1], out[0], out[1], out[2])
	return Activation{channelsLast(c, y, t.ChannelsLast), passed(in[0].Mask), t}
}
