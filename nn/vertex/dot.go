package vertex

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/inputtype"
	"github.com/dl4go/dl4go/nn/layer"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// Dot sums the products of two inputs along a dimension of each: [batch, …, n, …] and [batch, …, n, …] become [batch,
// …, …], with the other dimensions of the first and then those of the second. For vectors the result is [batch, 1]. It
// is Keras' Dot.
//
// Deeplearning4j differs: it has no such vertex.
type Dot struct {
	// Axes are the dimensions of the first and of the second input, 1 or above.
	Axes [2]int `dl4j:"axes"`
	// Normalize first divides by the Euclidean norms along the dimensions, so that the result is the cosine. Sums of
	// squares are at least 10⁻¹².
	Normalize bool `dl4j:"normalize"`
}

// shape returns the shape of the result.
func (v Dot) shape(a, b tensor.Shape) (tensor.Shape, error) {
	for i, s := range []tensor.Shape{a, b} {
		if v.Axes[i] < 1 || v.Axes[i] >= len(s) {
			return nil, fmt.Errorf("axes are %v: an input has the dimensions 1 to %d", v.Axes, len(s)-1)
		}
	}
	if n, m := a[v.Axes[0]], b[v.Axes[1]]; n != m {
		return nil, fmt.Errorf("the inputs have %d and %d elements along their axes", n, m)
	}
	out := a[:1].Clone()
	for i, s := range []tensor.Shape{a, b} {
		for d, n := range s {
			if d > 0 && d != v.Axes[i] {
				out = append(out, n)
			}
		}
	}
	if len(out) == 1 {
		out = append(out, 1)
	}
	return out, nil
}

// OutputType is the type of arrays with the remaining dimensions.
func (v Dot) OutputType(in []inputtype.Type) (inputtype.Type, error) {
	if err := inputs(in, 2, 2); err != nil {
		return inputtype.Type{}, err
	}
	s, err := v.shape(in[0].Shape(1), in[1].Shape(1))
	if err != nil {
		return in[0], err
	}
	return lastType(s)
}

// Forward emits a product of matrices for each example.
func (v Dot) Forward(c *layer.Context, in []layer.Activation) layer.Activation {
	out, err := v.shape(in[0].Value.Shape, in[1].Value.Shape)
	if err != nil {
		refuse("dot", in[0].Value.Shape, "%v", err)
	}
	a, b := v.matrices(c, in[0].Value, v.Axes[0]), v.matrices(c, in[1].Value, v.Axes[1])
	return last(c.Reshape(c.Apply(program.MatMul{TransB: true}, a, b), out...), nil)
}

// matrices returns an input as [batch, others, n], normalised if Normalize is set.
func (v Dot) matrices(c *layer.Context, x *program.Value, axis int) *program.Value {
	var order []int
	for d := range x.Shape {
		if d != axis {
			order = append(order, d)
		}
	}
	x = c.Transpose(x, append(order, axis)...)
	n := x.Shape[len(x.Shape)-1]
	x = c.Reshape(x, x.Shape[0], x.Shape.Size()/max(1, x.Shape[0]*n), n)
	if !v.Normalize {
		return x
	}
	x, by := program.Shrunk(c.Builder, x, 2)
	squares := c.Apply(program.Reduce{Kind: program.Sum, Dims: program.Dims(2), Keep: true}, c.Unary(program.Square, x))
	return c.Div(x, c.Unary(program.Sqrt, c.Max(squares, c.Div(c.Fill(1e-12), c.Unary(program.Square, by)))))
}

func init() { Classes.Register(ownPackage+"Dot", func() Vertex { return Dot{} }) }
