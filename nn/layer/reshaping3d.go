package layer

import (
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"ZeroPadding3DLayer", func() Layer { return ZeroPadding3D{} })
	Classes.Register(javaPackage+"convolutional.Cropping3D", func() Layer { return Cropping3D{} })
	Classes.Register(javaPackage+"Upsampling3D", func() Layer { return Upsampling3D{Format: ncdhw} })
}

// ownFormat returns the format of a volume according to its type.
func ownFormat(in []inputtype.Type) string {
	if len(in) == 1 && in[0].ChannelsLast {
		return ndhwc
	}
	return ncdhw
}

// ZeroPadding3D adds zeros around volumes: x [batch, c, d, h, w] → a volume whose last three dimensions are longer
// (Deeplearning4j: ZeroPadding3DLayer).
type ZeroPadding3D struct {
	Bare
	Padding [6]int `dl4j:"padding"` // before and after along the depth, the height, the width
}

// Complete checks the padding.
func (l ZeroPadding3D) Complete(d Defaults, _ []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	return l, checkBorders("padding", l.Padding[:])
}

// OutputType is a larger volume.
func (l ZeroPadding3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := volume(in, 0, ownFormat(in))
	t.Depth += l.Padding[0] + l.Padding[1]
	t.Height += l.Padding[2] + l.Padding[3]
	t.Width += l.Padding[4] + l.Padding[5]
	return t, err
}

// Forward pads.
func (l ZeroPadding3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return padded(c, x, 2, l.Padding[:]...) })
}

// Cropping3D removes the border of volumes: x [batch, c, d, h, w] → a volume whose last three dimensions are shorter
// (Deeplearning4j: Cropping3D).
type Cropping3D struct {
	Bare
	Cropping [6]int `dl4j:"cropping"` // before and after along the depth, the height, the width
}

// Complete checks the cropping.
func (l Cropping3D) Complete(d Defaults, _ []inputtype.Type) (Layer, error) {
	l.Bare = l.Bare.Completed(d)
	return l, checkBorders("cropping", l.Cropping[:])
}

// OutputType is a smaller volume.
func (l Cropping3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := volume(in, 0, ownFormat(in))
	if err == nil {
		t.Depth, err = leaves("the depth", t.Depth, l.Cropping[0], l.Cropping[1])
	}
	if err == nil {
		t.Height, err = leaves("the height", t.Height, l.Cropping[2], l.Cropping[3])
	}
	if err == nil {
		t.Width, err = leaves("the width", t.Width, l.Cropping[4], l.Cropping[5])
	}
	return t, err
}

// Forward crops.
func (l Cropping3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return cropped(c, x, 2, l.Cropping[:]...) })
}

// Upsampling3D repeats the cells of volumes: x [batch, c, d, h, w] → [batch, c, d·Size[0], h·Size[1], w·Size[2]]
// (Deeplearning4j: Upsampling3D).
type Upsampling3D struct {
	Bare
	Size   [3]int `dl4j:"size"`       // 2x2x2 if all are 0
	Format string `dl4j:"dataFormat"` // NCDHW or NDHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l Upsampling3D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), volumeFormat(l.Format, d, in)
	if l.Size == [3]int{} {
		l.Size = [3]int{2, 2, 2}
	}
	if err := checkVolumeFormat(l.Format); err != nil {
		return nil, err
	}
	return l, checkTimes("size", l.Size[:])
}

// OutputType is a larger volume.
func (l Upsampling3D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := volume(in, 0, l.Format)
	t.Depth *= l.Size[0]
	t.Height *= l.Size[1]
	t.Width *= l.Size[2]
	return t, err
}

// Forward repeats.
func (l Upsampling3D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return repeatedCells(c, x, 2, l.Size[:]...) })
}
