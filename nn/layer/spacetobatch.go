package layer

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/program"
)

func init() {
	Classes.Register(javaPackage+"SpaceToBatchLayer", func() Layer { return SpaceToBatch{Format: nchw} })
}

// SpaceToBatch turns the places of pixels in blocks into examples: x [batch, c, h, w], padded, → [batch·bh·bw, c,
// h/bh, w/bw]. Pixel (i, j) of the blocks of example n belongs to example (i·bw + j)·batch + n (Deeplearning4j:
// SpaceToBatchLayer). No layer undoes it. The next layers see that many examples, each with its own labels, and their
// losses count for the original example.
type SpaceToBatch struct {
	Bare
	Blocks  [2]int    `dl4j:"blocks"`  // height and width
	Padding [2][2]int `dl4j:"padding"` // top and bottom, left and right
	Format  string    `dl4j:"format"`  // NCHW or NHWC; by default, that of the input type
}

// Complete fills in settings that are left open.
func (l SpaceToBatch) Complete(d Defaults, in []inputtype.Type) (Layer, error) {
	l.Bare, l.Format = l.Bare.Completed(d), imageFormat(l.Format, d, in)
	if err := checkFormat(l.Format); err != nil {
		return nil, err
	}
	if err := checkBorders("padding", l.pads()); err != nil {
		return nil, err
	}
	return l, checkTimes("blocks", l.Blocks[:])
}

func (l SpaceToBatch) pads() []int {
	return []int{l.Padding[0][0], l.Padding[0][1], l.Padding[1][0], l.Padding[1][1]}
}

// Preprocessor restores the shape of flat images.
func (l SpaceToBatch) Preprocessor(in inputtype.Type) Preprocessor { return toImages(in) }

// OutputType is a smaller image. The blocks must divide the padded height and width.
func (l SpaceToBatch) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := image(in, 0, l.Format)
	p := l.pads()
	t.Height += p[0] + p[1]
	t.Width += p[2] + p[3]
	if err == nil && (t.Height%l.Blocks[0] != 0 || t.Width%l.Blocks[1] != 0) {
		err = fmt.Errorf("the blocks %v must divide height and width, padded %dx%d", l.Blocks, t.Height, t.Width)
	}
	t.Height /= l.Blocks[0]
	t.Width /= l.Blocks[1]
	return t, err
}

// Rows is bh·bw times the number of input rows.
func (l SpaceToBatch) Rows(in []int) int { return l.Blocks[0] * l.Blocks[1] * in[0] }

// Forward transposes blocks.
func (l SpaceToBatch) Forward(c *Context, in []Activation) Activation {
	t, _ := l.OutputType([]inputtype.Type{in[0].Type})
	a := overImage(c, in[0], t, func(x *program.Value) *program.Value {
		x = padded(c, x, 2, l.pads()...)
		s, bh, bw := x.Shape, l.Blocks[0], l.Blocks[1]
		x = c.Transpose(c.Reshape(x, s[0], s[1], s[2]/bh, bh, s[3]/bw, bw), 3, 5, 0, 1, 2, 4)
		return c.Reshape(x, bh*bw*s[0], s[1], s[2]/bh, s[3]/bw)
	})
	if m := a.Mask; m != nil {
		panic(&program.ShapeError{Op: "mask", Reason: "a mask cannot pass this layer, which makes other examples"})
	}
	return a
}
