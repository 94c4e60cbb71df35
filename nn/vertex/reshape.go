package vertex

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Reshape reads the same elements with another shape (Deeplearning4j: ReshapeVertex). One extent of Shape, usually
// that of the batch, may be -1: it is computed from the others.
//
// MaskShape is the shape for a mask. Without it, a mask of examples [n, 1] becomes a mask of steps [examples, steps] if
// the result is sequences. A mask of steps becomes a mask of examples if the result is anything else.
type Reshape struct {
	// Order of reading and writing: "c", the last dimension varies fastest, or "f", the first.
	Order     string `dl4j:"reshapeOrder"`
	Shape     []int  `dl4j:"newShape"`
	MaskShape []int  `dl4j:"maskShape"`
}

// NewReshape returns a Reshape with Deeplearning4j's default order, "c".
func NewReshape(shape ...int) Reshape { return Reshape{Order: "c", Shape: shape} }

// OutputType is the type of arrays of the new shape.
func (v Reshape) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	if v.Order != "c" && v.Order != "f" {
		return t, fmt.Errorf("reshapeOrder is %q: it is c or f", v.Order)
	}
	s := slices.Clone(v.Shape)
	elements, open := t.Shape(1).Size(), -1
	for i, d := range s {
		switch {
		case d == -1 && open < 0:
			open = i
		case d < 1:
			return t, fmt.Errorf("newShape is %v: extents are positive, but for one that may be -1", v.Shape)
		}
	}
	if open > 0 { // keep the number of examples
		s[open] = 1
		rest := tensor.Shape(s[1:]).Size()
		if elements%rest != 0 {
			return t, fmt.Errorf("newShape is %v: the elements of %v do not fill it", v.Shape, t)
		}
		s[open] = elements / rest
	}
	return like(inputtype.Type{}, s)
}

// Forward emits the reshaping.
func (v Reshape) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x, mask := in[0].Value, in[0].Mask
	y := v.reshape(c, x, v.Shape)
	if mask == nil {
		return typed(inputtype.Type{}, y, nil)
	}
	column := len(mask.Shape) == 2 && mask.Shape[1] == 1
	switch {
	case v.MaskShape != nil:
		mask = v.reshape(c, mask, v.MaskShape)
	case column && len(v.Shape) == 3:
		mask = v.reshape(c, mask, []int{y.Shape[0], y.Shape[2]})
	case !column && len(v.Shape) != 3:
		mask = v.reshape(c, mask, []int{-1, 1})
	}
	return typed(inputtype.Type{}, y, mask)
}

// reshape computes the open extent and emits the reshaping.
func (v Reshape) reshape(c *layer.Context, x *program.Value, to []int) *program.Value {
	s := slices.Clone(to)
	if open := slices.Index(s, -1); open >= 0 {
		s[open] = 1
		n := tensor.Shape(s).Size()
		if n == 0 || x.Shape.Size()%n != 0 {
			panic(&program.ShapeError{Op: "reshape", Shapes: []tensor.Shape{x.Shape},
				Reason: fmt.Sprintf("cannot become %v", to)})
		}
		s[open] = x.Shape.Size() / n
	}
	if v.Order != "f" {
		return c.Reshape(x, s...)
	}
	reversed := slices.Clone(s)
	slices.Reverse(reversed)
	y := c.Transpose(c.Reshape(c.Transpose(x, backwards(len(x.Shape))...), reversed...), backwards(len(s))...)
	return y
}

// backwards returns the permutation that reverses the dimensions.
func backwards(n int) []int {
	p := make([]int, n)
	for i := range p {
		p[i] = n - 1 - i
	}
	return p
}

func init() { Classes.Register(javaPackage+"ReshapeVertex", func() Vertex { return NewReshape() }) }
