package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Softmax is exp(x − max)/Σ exp(x − max) along dimension Dim.
type Softmax struct{ Dim int }

// Name is "softmax".
func (o Softmax) Name() string { return "softmax" }

// Infer keeps the shape.
func (o Softmax) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 1 || o.Dim < 0 || o.Dim >= len(in[0]) {
		return nil, fmt.Errorf("has no dimension %d", o.Dim)
	}
	return in, nil
}

// Grad is y·(dy − Σ y·dy).
func (o Softmax) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	y := n.Out[0]
	s := b.Apply(Reduce{Kind: Sum, Dims: Dims(o.Dim), Keep: true}, b.Mul(y, dout[0]))
	return []*Value{b.Mul(y, b.Sub(dout[0], s))}
}
