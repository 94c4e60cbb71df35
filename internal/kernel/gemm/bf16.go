package gemm

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// BF16 multiplies matrices whose elements it rounds to bfloat16. It adds two terms at a time, in float32: see
// [Tile.RunPairs]. Elements of C have the independence that the package promises, and all variants give the same bits
// for alpha = 1 and beta of 0 or 1. It belongs to one executor.
type BF16 struct {
	Shape
	variant kernel.Variant
	words   *Plan // of pairs of terms
	a, b    pairing
}

// NewBF16 plans the products of one shape. The kernels of AVX-512 need a processor with kernel.HasBF16.
func NewBF16(v kernel.Variant, s Shape) *BF16 {
	p := &BF16{Shape: s, variant: v}
	p.Batch = max(1, p.Batch)
	w := s
	w.K = ceil(s.K, 2)
	w.StrideA, w.StrideB = w.K*s.M, w.K*s.N
	p.words = New(v, w)
	p.words.pairs, p.words.vectorRows, p.words.vectorColumns = true, 0, 0
	p.a = newPairing(p, s.M, !s.TransA)
	p.b = newPairing(p, s.N, s.TransB)
	return p
}

// Workspace returns the length of the scratch memory that Run needs on the given number of threads.
func (p *BF16) Workspace(threads int) int {
	zeros := align(max(p.M, p.N))
	return alignment + align(p.Batch*p.words.StrideA) + align(p.Batch*p.words.StrideB) + zeros + p.words.Workspace(threads)
}

// Run computes C from A and B, as [Plan.Run] does.
func (p *BF16) Run(pool *parallel.Pool, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int, work []float32) {
	if p.M == 0 || p.N == 0 {
		return
	}
	p.words.check("A", a, lda, p.M, p.K, p.TransA, p.StrideA)
	p.words.check("B", b, ldb, p.K, p.N, p.TransB, p.StrideB)
	if need := p.Workspace(pool.Threads()); len(work) < need {
		panic(fmt.Sprintf("gemm: workspace of %d floats where %d are needed", len(work), need))
	}
	work = work[misaligned(work):]
	take := func(n int) []float32 {
		x := work[:n]
		work = work[align(n):]
		return x
	}
	zeros := take(max(p.M, p.N))
	clear(zeros)
	p.a.begin(a, lda, p.StrideA, take(p.Batch*p.words.StrideA), zeros)
	p.b.begin(b, ldb, p.StrideB, take(p.Batch*p.words.StrideB), zeros)
	pool.Do(p.a.parts*p.Batch, &p.a)
	pool.Do(p.b.parts*p.Batch, &p.b)
	p.words.Run(pool, alpha, p.a.words, p.a.row(), p.b.words, p.b.row(), beta, c, ldc, work)
	p.a.end()
	p.b.end()
}

// pairing turns an operand into pairs: each element of the result holds two neighbouring terms of the sums. They are
// neighbours in a row, or in two rows of which each is as long as the matrix has rows or columns.
type pairing struct {
	p       *BF16
	along   bool // neighbours in a row
	rows    int  // of the result
	wide    int  // elements of a row of the operand
	perPart int
	parts   int
	x       []float32
	ld      int
	stride  int
	words   []float32
	zeros   []float32
}

func newPairing(p *BF16, n int, along bool) pairing {
	s := pairing{p: p, along: along, rows: ceil(p.K, 2), wide: n}
	if along {
		s.rows, s.wide = n, p.K
	}
	if s.wide == 0 {
		return s
	}
	const partSize = 16 << 10
	s.perPart = max(1, partSize/s.wide)
	s.parts = ceil(s.rows, s.perPart)
	return s
}

// row returns the length of a row of the result.
func (s *pairing) row() int {
	if s.along {
		return ceil(s.wide, 2)
	}
	return s.wide
}

func (s *pairing) begin(x []float32, ld, stride int, words, zeros []float32) {
	s.x, s.ld, s.stride, s.words, s.zeros = x, ld, stride, words, zeros
}

func (s *pairing) end() { s.begin(nil, 0, 0, nil, nil) }

// Run makes the pairs of some rows of one matrix of the batch.
func (s *pairing) Run(_, i int) {
	matrix, part := i/s.parts, i%s.parts
	x, words := s.x[matrix*s.stride:], s.words[matrix*s.rows*s.row():]
	n := s.row()
	for r := part * s.perPart; r < min(s.rows, (part+1)*s.perPart); r++ {
		to := words[r*n : (r+1)*n]
		if s.along {
			PairNeighbours(s.p.variant, to, x[r*s.ld:][:s.wide])
			continue
		}
		low, high := x[2*r*s.ld:][:n], s.zeros[:n]
		if 2*r+1 < s.p.K {
			high = x[(2*r+1)*s.ld:][:n]
		}
		PairRows(s.p.variant, to, low, high)
	}
}
