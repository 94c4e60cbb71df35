package cpu

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
	"github.com/dl4go/dl4go/program"
)

// product is a matrix product.
type product struct {
	node     *node
	shape    gemm.Shape
	plan     multiplication
	a, b     operand
	y        *value
	lda, ldb int
	work     *buffer
	ldc      int
	group    *group        // attached to the product; or nil
	packed   *packedWeight // b in PackedWeights, or nil
}

// multiplication plans products of one shape.
func (p *parameters) multiplication(s gemm.Shape) multiplication {
	switch p.factors {
	case inPairs:
		return gemm.NewBF16(p.variant, s)
	case inTiles:
		return gemm.NewAMX(p.variant, s)
	}
	return gemm.New(p.variant, s)
}

// multiplication is a plan in float32 or in bfloat16.
type multiplication interface {
	Workspace(threads int) int
	Follow(f gemm.Follower)
	Run(pool *parallel.Pool, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32, c []float32, ldc int,
		work []float32)
}

func newProduct(x *Executable, n *node, m *memory) (instruction, error) {
	op, plain := n.op.(program.MatMul)
	if !plain {
		op = n.op.(packedProduct).MatMul
	}
	a, b, y := n.in[0], n.in[1], n.out[0]
	r := len(y.shape)
	s := gemm.Shape{TransA: op.TransA, TransB: op.TransB, M: y.shape[r-2], N: y.shape[r-1], K: a.shape[r-1],
		SplitK: op.OverBatch}
	if op.TransA {
		s.K = a.shape[r-2]
	}
	if r == 3 {
		s.Batch, s.StrideA, s.StrideB, s.StrideC = y.shape[0], s.M*s.K, s.K*s.N, s.M*s.N
	}
	p := &product{node: n, a: a, b: b, y: y, lda: a.shape[r-1], ldb: b.shape[len(b.shape)-1], ldc: s.N}
	if r == 2 && plain {
		p.packed = x.claimMatrix(b, s)
	}
	s.PackedB = p.packed != nil || !plain
	p.shape = s
	p.plan = x.multiplication(s)
	p.work = m.work(n.unit, p.plan.Workspace(x.executor.Threads()))
	return p, nil
}

// lead attaches a group to the product.
func (p *product) lead(g *group) {
	p.group = g
	p.plan.Follow(g)
}

func (p *product) run(x *Executable) {
	if p.group != nil {
		p.group.begin(x)
		defer p.group.end()
	}
	b := x.read(p.b)
	if p.packed != nil {
		b = p.packed.get(x.packedSize(p.shape), func(dst []float32) { x.packMatrix(p.shape, dst, b) })
	}
	p.plan.Run(x.executor.pool, 1, x.read(p.a), p.lda, b, p.ldb, 0, x.elements(p.y), p.ldc, x.work(p.work))
}

func (p *product) String() string {
	s := fmt.Sprintf("matmul %dx%dx%d", p.shape.M, p.shape.K, p.shape.N)
	if p.shape.TransA {
		s += " aᵀ"
	}
	if p.shape.TransB {
		s += " bᵀ"
	}
	if p.shape.PackedB {
		s += ", packed"
	}
	return s + describe(p.node) + p.group.attached()
}

// describe writes the results and operands of a node after its kernel.
func describe(n *node) string {
	s := "\n"
	for i, v := range n.out {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%%%d%v%s", v.label, v.shape, place(v))
	}
	return s + " = " + n.String()
}
