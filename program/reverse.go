package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// Reverse reverses the steps of sequences: x [rows, n, steps] with Dim 2, or [rows, steps, n] with Dim 1. With a mask
// [rows, steps], only steps with a mask other than 0 trade places: the k-th such step with the k-th from the end. The
// others become 0. No gradient flows to the mask.
type Reverse struct{ Dim int }

// Name is "reverse".
func (Reverse) Name() string { return "reverse" }

// Infer returns the shape of x.
func (o Reverse) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	ok := len(in) > 0 && len(in) < 3 && len(in[0]) == 3 && (o.Dim == 1 || o.Dim == 2)
	if !ok || len(in) == 2 && !in[1].Equal(tensor.Shape{in[0][0], in[0][o.Dim]}) {
		return nil, fmt.Errorf("takes sequences whose steps are dimension 1 or 2 (Dim is %d), and a mask [rows, steps]",
			o.Dim)
	}
	return []tensor.Shape{in[0]}, nil
}

// Grad is the same operation: it swaps the steps back.
func (o Reverse) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	return []*Value{b.Apply(o, append([]*Value{dout[0]}, n.In[1:]...)...), nil}[:len(n.In)]
}
