package cpu

import (
	"slices"

	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/program"
	"github.com/dl4go/dl4go/tensor"
)

// mostHoisted limits the elements of a matrix that is packed before a loop.
const mostHoisted = 1 << 20

// packing is the operation that packs a matrix as the second factor of products.
type packing struct {
	program.StopGradient
	shape gemm.Shape // of a product with one row
}

func (packing) Name() string { return "pack" }

// packedProduct is a product whose second factor is the result of a packing.
type packedProduct struct{ program.MatMul }

// packBeforeLoops packs matrices that don't change from step to step once before a loop, if a step multiplies by them.
// Otherwise, products of a few rows would read the matrix row by row, or transpose it, in each step. The elements of a
// product are the same sums either way.
func (g *graph) packBeforeLoops() {
	var nodes []*node
	for _, n := range g.nodes {
		if op, ok := n.op.(program.Scan); ok && op.Steps > 1 {
			for i := range op.Invariants {
				for _, transposed := range []bool{false, true} {
					h := g.hoistedFactor(n.in[i], transposed)
					body := h.into(op, i)
					if body == nil {
						continue
					}
					g.scope = n.scope
					t := &node{op: h.before, in: []operand{n.in[i]}, scope: n.scope}
					nodes = append(nodes, t)
					v := g.result(t, h.shape, len(g.program.Values)+len(g.values))
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

// hoistedFactor says how the second factor of products is prepared before a loop.
type hoistedFactor struct {
	transB  bool         // of the products
	before  program.Op   // nil: the matrix is read as it is
	shape   tensor.Shape // of the prepared factor
	product func(m program.MatMul) program.Op
}

// hoistedFactor returns the preparation of a matrix for products, or their transposes. Products of pairs pack matrices
// themselves, from untransposed ones. A matrix in PackedWeights needs no preparation.
func (g *graph) hoistedFactor(o operand, transposed bool) hoistedFactor {
	h := hoistedFactor{transB: transposed}
	if len(o.shape) != 2 || o.shape.Size() > mostHoisted {
		return h
	}
	k, n := o.shape[0], o.shape[1]
	if transposed {
		k, n = n, k
	}
	if g.factors == inPairs {
		if transposed {
			h.before, h.shape = program.Transpose{Perm: "1,0"}, tensor.Shape{k, n}
			h.product = func(m program.MatMul) program.Op { return program.MatMul{TransA: m.TransA} }
		}
		return h
	}
	s := gemm.Shape{M: 1, N: n, K: k, TransB: transposed, PackedB: true}
	if size := g.packedSize(s); size > 0 && g.claimMatrix(o, s) == nil {
		h.before, h.shape = packing{shape: s}, tensor.Shape{size}
		h.product = func(m program.MatMul) program.Op { return packedProduct{m} }
	}
	return h
}

// into returns the body of a loop with the prepared form of invariant i as a further invariant. It returns nil if no
// step multiplies by it.
func (h hoistedFactor) into(op program.Scan, i int) *program.Program {
	if h.before == nil {
		return nil
	}
	from := op.Body.Inputs[i]
	body := *op.Body
	to := &program.Value{ID: len(body.Values), Kind: from.Kind, Name: from.Name, Shape: h.shape}
	body.Nodes = slices.Clone(body.Nodes)
	found := false
	for k, n := range body.Nodes {
		if m, ok := n.Op.(program.MatMul); ok && m.TransB == h.transB && n.In[1] == from && len(n.In[0].Shape) == 2 {
			copied := *n
			copied.Op, copied.In = h.product(m), []*program.Value{n.In[0], to}
			body.Nodes[k], found = &copied, true
		}
	}
	if !found {
		return nil
	}
	body.Values = append(slices.Clone(body.Values), to)
	body.Inputs = slices.Insert(slices.Clone(body.Inputs), op.Invariants, to)
	return &body
}

// packedMatrix packs a matrix.
type packedMatrix struct {
	node  *node
	shape gemm.Shape
}

func newPackedMatrix(_ *Executable, n *node, _ *memory) (instruction, error) {
	return &packedMatrix{n, n.op.(packing).shape}, nil
}

func (p *packedMatrix) run(x *Executable) {
	x.packMatrix(p.shape, x.elements(p.node.out[0]), x.read(p.node.in[0]))
}

func (p *packedMatrix) String() string { return "pack" + describe(p.node) }
