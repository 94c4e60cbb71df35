package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// StopGradient returns its operand and stops the gradient.
type StopGradient struct{}

// Name is "stop-gradient".
func (StopGradient) Name() string { return "stop-gradient" }

// Infer keeps the shape.
func (StopGradient) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 {
		return nil, fmt.Errorf("takes one operand")
	}
	return in, nil
}

// Grad returns nil.
func (StopGradient) Grad(*Builder, *Node, []*Value) []*Value { return []*Value{nil} }

// WithGradient sets the gradient of a value explicitly: (y, x, g) → y. The gradient of x is g times that of the result;
// g is a scalar or has x's shape. None reaches y or g. Losses use it for gradients that are not the derivative of the
// score, as in Deeplearning4j.
type WithGradient struct{}

// Name is "with-gradient".
func (WithGradient) Name() string { return "with-gradient" }

// Infer returns y's shape; g must have x's.
func (WithGradient) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 3 || !in[1].Equal(in[2]) {
		return nil, fmt.Errorf("takes y, x and a gradient of x's shape")
	}
	if len(in[0]) > 0 && !in[0].Equal(in[1]) {
		return nil, fmt.Errorf("y is neither a scalar nor of x's shape")
	}
	return in[:1], nil
}

// Grad returns a gradient only for x.
func (WithGradient) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{nil, b.Mul(n.In[2], dout[0]), nil}
}

// Random draws uniform numbers in [0, 1) in the shape To. Element i depends only on the [Key] of the run, on Stream and
// on i.
type Random struct {
	Stream uint64
	To     DimSet
}

// Name is "random".
func (o Random) Name() string { return "random" }

// Infer returns the shape To.
func (o Random) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 0 {
		return nil, fmt.Errorf("takes no operand")
	}
	return []tensor.Shape{o.To.List()}, nil
}

// Grad returns nil.
func (o Random) Grad(*Builder, *Node, []*Value) []*Value { return nil }
