package vertex

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/tensor"
)

// Rearrange reorders the dimensions of each example, and reads the result with another shape. The result has its
// channels in the last dimension. Unlike [Reshape], it keeps the number of examples, even if other extents are open.
//
// Deeplearning4j differs: it has no such vertex.
type Rearrange struct {
	// Order lists the dimensions of the input, 1 or above, in their new order; nil keeps them.
	Order []int `dl4j:"order"`
	// Shape holds the extents of the result without the batch's, in C order. 0 keeps the extent of the dimension in
	// that place, after Order. One may be -1: it is computed from the others. Nil keeps the shape.
	Shape []int `dl4j:"shape"`
}

// shape returns the shape of the result for an example. Open extents of a type are 0.
func (v Rearrange) shape(example []int) (tensor.Shape, error) {
	s := slices.Clone(example)
	if v.Order != nil {
		if len(v.Order) != len(s) {
			return nil, fmt.Errorf("order is %v, for examples of %d dimensions", v.Order, len(s))
		}
		seen := make([]bool, len(s))
		for i, d := range v.Order {
			if d < 1 || d > len(s) || seen[d-1] {
				return nil, fmt.Errorf("order is %v: it must have each of 1 to %d once", v.Order, len(s))
			}
			seen[d-1] = true
			s[i] = example[d-1]
		}
	}
	if v.Shape == nil {
		return s, nil
	}
	out, open, rest := slices.Clone(v.Shape), -1, 1
	for i, d := range out {
		switch {
		case d == 0 && i < len(s):
			out[i] = s[i]
		case d == -1 && open < 0:
			open = i
			continue
		case d < 1 || d > 1<<31:
			return nil, fmt.Errorf("shape is %v: extents are positive, 0 to keep one, or -1 for a single one", v.Shape)
		}
		rest *= max(out[i], 1)
	}
	all := 1
	for _, d := range s {
		all *= d
	}
	if all == 0 { // an extent is unknown
		if open >= 0 {
			out[open] = 0
		}
		return out, nil
	}
	if open >= 0 {
		out[open] = all / max(rest, 1)
		rest *= out[open]
	}
	if rest != all {
		return nil, fmt.Errorf("shape is %v: examples of shape %v do not fill it", v.Shape, s)
	}
	return out, nil
}

// OutputType is the type of arrays of the new shape.
func (v Rearrange) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	s, err := v.shape(t.Shape(1)[1:])
	if err != nil {
		return t, err
	}
	return lastType(append(tensor.Shape{1}, s...))
}

// Forward emits the transposition and the reshaping. It does not pass on a mask.
func (v Rearrange) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	x := in[0].Value
	s, err := v.shape(x.Shape[1:])
	if err != nil {
		refuse("rearrange", x.Shape, "%v", err)
	}
	if v.Order != nil {
		x = c.Transpose(x, append([]int{0}, v.Order...)...)
	}
	return last(c.Reshape(x, append([]int{x.Shape[0]}, s...)...), nil)
}

func init() { Classes.Register(ownPackage+"Rearrange", func() Vertex { return Rearrange{} }) }
