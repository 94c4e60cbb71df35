package vertex

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
)

// L2 is the distance of two inputs, ‖x − y‖ of each example: [batch, 1] (Deeplearning4j: L2Vertex). Eps is the lower
// bound of the gradient's divisor, which matters if the inputs are nearly equal. Files of Deeplearning4j do not have
// it, and mean 1e-8.
type L2 struct {
	Eps   float64 `dl4j:"eps"` // 1e-8 if a literal leaves it out
	meant bool    // see package literal
}

func (v L2) completed() L2 {
	v.Eps = literal.Or(v.Eps, 1e-8, v.meant)
	return v
}

// AfterRead notes that a zero from a file is intended.
func (v *L2) AfterRead() { v.meant = v.Eps == 0 }

// NewL2 returns an L2 with Deeplearning4j's default, 1e-8.
func NewL2() L2 { return L2{}.completed() }

// MarshalTree leaves out the default, because Deeplearning4j does not write Eps and could not read it.
func (v L2) MarshalTree() (any, error) {
	if v = v.completed(); v == NewL2() {
		return dl4j.Object{}, nil
	}
	return dl4j.Object{{Name: "eps", Value: v.Eps}}, nil
}

// OutputType is one number.
func (v L2) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 2, 2); err != nil {
		return inputtype.Type{}, err
	}
	if !arrays(in)[0].Equal(arrays(in)[1]) {
		return inputtype.Type{}, fmt.Errorf("takes the distance of inputs of one shape, got %v and %v", in[0], in[1])
	}
	return inputtype.FeedForward(1), nil
}

// Forward emits the formula.
func (v L2) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	d := c.Sub(in[0].Value, in[1].Value)
	batch := d.Shape[0]
	d, by := program.Scaled(c.Builder, c.Reshape(d, batch, d.Shape.Size()/max(batch, 1)), 1)
	squares := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(1), Keep: true}, c.Unary(program.Square, d))
	y := c.Mul(norm(c, squares, c.Div(c.Fill(v.completed().Eps), by), false), by)
	return layer.Activation{Value: y, Mask: in[0].Mask, Type: inputtype.FeedForward(1)}
}

// norm returns √squares, or max(√squares, eps) if atLeast is true. The gradient is 1/(2·max(√squares, eps)), which is
// finite.
func norm(c *layer.Context, squares, eps *program.Value, atLeast bool) *program.Value {
	root := c.Unary(program.Sqrt, squares)
	divisor := c.Max(root, eps)
	y := root
	if atLeast {
		y = divisor
	}
	return c.WithGradient(y, squares, c.Div(c.Fill(0.5), divisor))
}

// L2Normalize is x/max(‖x‖, Eps). The norm is over all dimensions except the batch's, or over Dimensions
// (Deeplearning4j: L2NormalizeVertex).
type L2Normalize struct {
	Dimensions []int   `dl4j:"dimension"`
	Eps        float64 `dl4j:"eps"` // 1e-8 if a literal leaves it out
	meant      bool    // see package literal
}

func (v L2Normalize) completed() L2Normalize {
	v.Eps = literal.Or(v.Eps, 1e-8, v.meant)
	return v
}

// MarshalTree writes the default if a literal leaves the epsilon out.
func (v L2Normalize) MarshalTree() (any, error) {
	return dl4j.Members(v.completed())
}

// AfterRead notes that a zero from a file is intended.
func (v *L2Normalize) AfterRead() { v.meant = v.Eps == 0 }

// NewL2Normalize returns an L2Normalize with Deeplearning4j's default, 1e-8.
func NewL2Normalize() L2Normalize { return L2Normalize{}.completed() }

// OutputType is the type of the input.
func (v L2Normalize) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	t, err := only(in)
	if err != nil {
		return t, err
	}
	rank := len(t.Shape(1))
	for i, d := range v.Dimensions {
		if d < 0 || d >= rank || slices.Contains(v.Dimensions[:i], d) {
			return t, fmt.Errorf("dimension is %v: must be different ones from 0 to %d for %v", v.Dimensions, rank-1, t)
		}
	}
	return t, nil
}

// Forward emits the formula.
func (v L2Normalize) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	a := in[0]
	dims := v.Dimensions
	if len(dims) == 0 {
		for d := 1; d < len(a.Value.Shape); d++ {
			dims = append(dims, d)
		}
	}
	x, by := program.Scaled(c.Builder, a.Value, dims...)
	squares := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(dims...), Keep: true},
		c.Unary(program.Square, x))
	a.Value = c.Div(x, norm(c, squares, c.Div(c.Fill(v.completed().Eps), by), true))
	return a
}

func init() {
	Classes.Register(javaPackage+"L2Vertex", func() Vertex { return NewL2() })
	Classes.Register(javaPackage+"L2NormalizeVertex", func() Vertex { return NewL2Normalize() })
}
