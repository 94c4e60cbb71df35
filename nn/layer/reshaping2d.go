package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

func init() {
	Classes.Register(javaPackage+"ZeroPaddingLayer", func() Layer { return ZeroPadding2D{Format: nchw} })
	Classes.Register(javaPackage+"convolutional.Cropping2D", func() Layer { return Cropping2D{Format: nchw} })
	Classes.Register(javaPackage+"Upsampling2D", func() Layer { return Upsampling2D{Format: nchw} })
	Classes.Register(javaPackage+"SpaceToDepthLayer", func() Layer { return SpaceToDepth{Format: nchw} })
}

// overImage applies f to images [batch, channels, height, width] or volumes in any format.
func overImage(c *Context, in Activation, out inputtype.Type, f func(x *program.Value) *program.Value) Activation {
	last := out.ChannelsLast
	return Activation{channelsLast(c, f(channelsFirst(c, in.Value, last)), last), passed(in.Mask), out}
}

// passed returns the mask after a layer that moves pixels. It passes masks of examples on and refuses masks of pixels,
// for which Deeplearning4j defines no result.
func passed(mask *program.Value) *program.Value {
	if mask != nil && len(mask.Shape) > 2 && mask.Shape.Size() > mask.Shape[0] {
		panic(&program.ShapeError{Op: "mask", Shapes: []tensor.Shape{mask.Shape},
			Reason: "a mask of pixels cannot pass this layer"})
	}
	return mask
}

// ZeroPadding2D adds zeros around images: x [batch, c, h, w] → [batch, c, top + h + bottom, left + w + right]
// (Deeplearning4j: ZeroPaddingLayer).
type ZeroPadding2D struct {
	Bare
	Padding [4]int `dl4j:"padding"`    // top, bottom, left, right
	Format  string `dl4j:"dataFormat"` // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l ZeroPadding2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	return l, checkBorders("padding", l.Padding[:])
}

// Preprocessor restores the shape of flat images.
func (l ZeroPadding2D) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is a larger image.
func (l ZeroPadding2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	t.Height += l.Padding[0] + l.Padding[1]
	t.Width += l.Padding[2] + l.Padding[3]
	return t, err
}

// Forward pads.
func (l ZeroPadding2D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return padded(c, x, 2, l.Padding[:]...) })
}

// Cropping2D removes the border of images: x [batch, c, h, w] → [batch, c, h − top − bottom, w − left − right]
// (Deeplearning4j: Cropping2D).
type Cropping2D struct {
	Bare
	Cropping [4]int `dl4j:"cropping"`   // top, bottom, left, right
	Format   string `dl4j:"dataFormat"` // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l Cropping2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	return l, checkBorders("cropping", l.Cropping[:])
}

// Preprocessor restores the shape of flat images.
func (l Cropping2D) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is a smaller image.
func (l Cropping2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	if err == nil {
		t.Height, err = leaves("the height", t.Height, l.Cropping[0], l.Cropping[1])
	}
	if err == nil {
		t.Width, err = leaves("the width", t.Width, l.Cropping[2], l.Cropping[3])
	}
	return t, err
}

// Forward crops.
func (l Cropping2D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return cropped(c, x, 2, l.Cropping[:]...) })
}

// Upsampling2D repeats rows and columns of images: x [batch, c, h, w] → [batch, c, h·Size[0], w·Size[1]]
// (Deeplearning4j: Upsampling2D).
type Upsampling2D struct {
	Bare
	Size   [2]int `dl4j:"size"`   // 2x2 if both are 0
	Format string `dl4j:"format"` // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l Upsampling2D) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if l.Size == [2]int{} {
		l.Size = [2]int{2, 2}
	}
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	return l, checkTimes("size", l.Size[:])
}

// Preprocessor restores the shape of flat images.
func (l Upsampling2D) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is a larger image.
func (l Upsampling2D) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	t.Height *= l.Size[0]
	t.Width *= l.Size[1]
	return t, err
}

// Forward repeats.
func (l Upsampling2D) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value { return repeatedCells(c, x, 2, l.Size[:]...) })
}

// SpaceToDepth turns blocks of B by B pixels into channels: x [batch, c, h, w] → [batch, c·B², h/B, w/B]. Pixel (i, j)
// of a block in channel k becomes channel (i·B + j)·c + k (Deeplearning4j: SpaceToDepthLayer).
type SpaceToDepth struct {
	Bare
	BlockSize int    `dl4j:"blockSize"`
	Format    string `dl4j:"dataFormat"` // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l SpaceToDepth) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	return l, checkTimes("blockSize", []int{l.BlockSize})
}

// Preprocessor restores the shape of flat images.
func (l SpaceToDepth) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is a smaller image with more channels. Height and width must be multiples of the block size.
func (l SpaceToDepth) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	if b := l.BlockSize; err == nil && (t.Height%b != 0 || t.Width%b != 0) {
		err = fmt.Errorf("the blockSize %d must divide height and width, got %v", b, t)
	}
	t.Height /= l.BlockSize
	t.Width /= l.BlockSize
	t.Channels *= l.BlockSize * l.BlockSize
	return t, err
}

// Forward transposes blocks.
func (l SpaceToDepth) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	return overImage(c, in[0], t, func(x *program.Value) *program.Value {
		s, b := x.Shape, l.BlockSize
		x = c.Transpose(c.Reshape(x, s[0], s[1], s[2]/b, b, s[3]/b, b), 0, 3, 5, 1, 2, 4)
		return c.Reshape(x, s[0], b*b*s[1], s[2]/b, s[3]/b)
	})
}
