package program

import (
	"fmt"

	"github.com/dl4go/dl4go/tensor"
)

// MatMul is the matrix product op(a)·op(b): a [m, k], b [k, n] → [m, n]. TransA and TransB say that an operand is
// stored transposed. With three dimensions the first one is a batch of products.
//
// A row of the result depends only on that row of a and on b, for any m. OverBatch marks a product that sums over the
// rows of a minibatch, such as the gradient of a weight. Executors may then split its k into parts, by a rule that
// depends only on the shapes.
type MatMul struct {
	TransA, TransB bool
	OverBatch      bool
}

// Name is "matmul".
func (o MatMul) Name() string { return "matmul" }

// Infer checks the inner extents.
func (o MatMul) Infer(in []tensor.Shape) ([]tensor.Shape, error) {
	if len(in) != 2 || len(in[0]) != len(in[1]) || len(in[0]) < 2 || len(in[0]) > 3 {
		return nil, fmt.Errorf("takes two matrices, or two batches of them")
	}
	r := len(in[0])
	m, k := in[0][r-2], in[0][r-1]
	if o.TransA {
		m, k = k, m
	}
	k2, n := in[1][r-2], in[1][r-1]
	if o.TransB {
		k2, n = n, k2
	}
	if k != k2 {
		return nil, fmt.Errorf("inner extents %d and %d differ", k, k2)
	}
	if r == 3 {
		if in[0][0] != in[1][0] {
			return nil, fmt.Errorf("batches of %d and %d differ", in[0][0], in[1][0])
		}
		return []tensor.Shape{{in[0][0], m, n}}, nil
	}
	return []tensor.Shape{{m, n}}, nil
}

// Grad is da = dy·bᵀ and db = aᵀ·dy for y = a·b, transposed like the operands.
func (o MatMul) Grad(b *Builder, n *Node, dout []*Value) []*Value {
	a, w, dy := n.In[0], n.In[1], dout[0]
	var da, dw *Value
	if o.TransA {
		da = b.Apply(MatMul{TransA: o.TransB, TransB: true}, w, dy)
	} else {
		da = b.Apply(MatMul{TransB: !o.TransB}, dy, w)
	}
	if o.TransB {
		dw = b.Apply(MatMul{TransA: true, TransB: o.TransA, OverBatch: !o.TransA}, dy, a)
	} else {
		dw = b.Apply(MatMul{TransA: !o.TransA, OverBatch: !o.TransA}, a, dy)
	}
	return []*Value{da, dw}
}
