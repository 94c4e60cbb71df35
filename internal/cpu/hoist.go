package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// mostHoisted limits the elements of a matrix that is transposed before a loop.
const mostHoisted = 1 << 20

// transposeBeforeLoops transposes matrices that don't change from step to step once before a loop, if a step multiplies
// by the transpose. Otherwise, products of a few rows would transpose the matrix in each step. The elements of a
// product are the same sums either way.
func (g *graph) transposeBeforeLoops() {
	var nodes []*node
	for _, n := range g.nodes {
		if op, ok := n.op.(program.Scan); ok && op.Steps > 1 {
			for i := range op.Invariants {
				if body, shape := transposing(op, i); body != nil && !g.packs(n.in[i]) {
					g.scope = n.scope
					t := &node{op: program.Transpose{Perm: "1,0"}, in: []operand{n.in[i]}, scope: n.scope}
					nodes = append(nodes, t)
					v := g.result(t, shape, len(g.program.Values)+len(g.values))
					op.Body, op.Invariants = body, op.Invariants+1
					n.in = slices.Insert(slices.Clone(n.in), op.Invariants-1, whole(v))
					n.op = op
				}
			}
		}
		nodes = append(nodes, n)
	}
	g.nodes = nodes
}

// packs reports whether a matrix is packed, so that its products in loops need no transpose.
func (g *graph) packs(o operand) bool {
	shape := gemm.Shape{TransB: true, N: o.shape[0], K: o.shape[1]}
	return g.claimMatrix(o, shape) != nil
}

// transposing returns the body of a loop with the transpose of invariant i as a further invariant, and the transpose's
// shape. It returns nil if no step multiplies by it.
func transposing(op program.Scan, i int) (*program.Program, tensor.Shape) {
	from := op.Body.Inputs[i]
	if len(from.Shape) != 2 || from.Shape.Size() > mostHoisted {
		return nil, nil
	}
	body := *op.Body
	to := &program.Value{ID: len(body.Values), Kind: from.Kind, Name: from.Name,
		Shape: tensor.Shape{from.Shape[1], from.Shape[0]}}
	body.Nodes = slices.Clone(body.Nodes)
	found := false
	for k, n := range body.Nodes {
		if m, ok := n.Op.(program.MatMul); ok && m.TransB && n.In[1] == from && len(n.In[0].Shape) == 2 {
			copied := *n
			m.TransB = false
			copied.Op, copied.In = m, []*program.Value{n.In[0], to}
			body.Nodes[k], found = &copied, true
		}
	}
	if !found {
		return nil, nil
	}
	body.Values = append(slices.Clone(body.Values), to)
	body.Inputs = slices.Insert(slices.Clone(body.Inputs), op.Invariants, to)
	return &body, to.Shape
}
