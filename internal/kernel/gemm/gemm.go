// Package gemm multiplies matrices of float32, row-major with leading dimensions:
//
//	C[m, n] = alpha * op(A)[m, k] * op(B)[k, n] + beta * C
//
// Every element of C is one chain of fused multiply-adds over k. The chain is split into blocks that depend on k only,
// and blocks are added to C in order. So C[i][j] depends on row i of op(A), column j of op(B), alpha, beta and
// C[i][j]. It does not depend on m, i, j, the leading dimensions or the number of threads, to the last bit.
package gemm

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// Shape is the shape of a plan's products. op(A) is A [M, K], or with TransA the transpose of A [K, M]; op(B) is B [K,
// N], or with TransB the transpose of B [N, K].
type Shape struct {
	TransA, TransB bool
	M, N, K        int

	// SplitK allows splitting K into parts that are summed at the end, by a rule that depends on the shape only. It is
	// for products with a long K and few elements, such as gradients of weights. Elements then depend on M and N.
	SplitK bool

	// PackedB says that B is a matrix of Pack, whose leading dimension has no effect. TransB is that of the matrix that
	// was packed. It is for matrices of many products. Batch is 1, and SplitK has no effect.
	PackedB bool

	// Batch is the number of independent products of this shape (0 means 1). Product i has its operands at
	// a[i*StrideA:], b[i*StrideB:] and c[i*StrideC:].
	Batch                     int
	StrideA, StrideB, StrideC int
}

// blockK is the longest chain of multiply-adds before a partial sum is added to C.
const blockK = 512

// Blocks returns the number of blocks into which a sum of length k is split, and their length (the last may be
// shorter).
func Blocks(k int) (count, length int) {
	count = max(1, (k+blockK-1)/blockK)
	return count, (k + count - 1) / count
}

// Plan multiplies matrices of one shape, one product at a time. It belongs to one executor.
type Plan struct {
	Shape
	Following

	variant        kernel.Variant
	tileRows, lane int // the largest tile: rows and columns

	// The elements of one operand, which has the tiles' rows, are broadcast. Vectors are loaded from the other, which
	// has the columns. flip: vectors are loaded from A, so that tiles are computed transposed.
	flip       bool
	rows, cols int
	rowTiles   int
	strips     int // number of strips of lane columns in the vector operand
	parts      int // of K

	// Number of the matrix's rows that are processed at a time, for one row times the transpose of a matrix; otherwise
	// 0.
	vectorRows int
	// vectorColumns is the number of columns that are computed at a time for a product of one row; otherwise 0.
	vectorColumns int

	pairs bool // elements of A and B are pairs of terms

	call   call
	packed []bool // strips that a worker has packed for its own use
}

// New plans the products of one shape.
func New(v kernel.Variant, s Shape) *Plan {
	if s.M < 0 || s.N < 0 || s.K < 0 || s.Batch < 0 {
		panic(fmt.Sprintf("gemm: negative size in %+v", s))
	}
	s.Batch = max(1, s.Batch)
	p := &Plan{Shape: s, variant: v, rows: s.M, cols: s.N, parts: 1}
	p.tileRows, p.lane = Size(v)
	if p.flip = !s.PackedB && flipped(s, p.tileRows, p.lane); p.flip {
		p.rows, p.cols = s.N, s.M
	}
	p.rowTiles = ceil(p.rows, p.tileRows)
	p.strips = ceil(p.cols, p.lane)
	if s.SplitK && s.Batch == 1 && !s.PackedB {
		p.parts = splits(s.M, s.N, s.K)
	}
	if s.M == 1 && s.Batch == 1 && p.parts == 1 {
		switch {
		case s.PackedB:
			p.vectorColumns = stripColumns(v, p.lane)
		case s.TransB:
			p.vectorRows = vectorRows(v)
		default:
			p.vectorColumns = vectorColumns(v)
		}
	}
	return p
}

// splits returns the number of parts of K: enough for a few tiles on every thread, none shorter than one block.
func splits(m, n, k int) int {
	tiles := ceil(m, 12) * ceil(n, 32)
	if tiles == 0 || tiles >= 16 {
		return 1
	}
	return max(1, min(ceil(16, tiles), k/blockK))
}

// flipped reports whether vectors should be loaded from A. It compares the estimated times of both ways: multiply-adds
// of whole vectors, the transposition of an operand whose vectors are not contiguous, and that of the result. Both
// ways have the same roundings.
func flipped(s Shape, tileRows, lane int) bool {
	cost := func(rows, cols int, transposed, flip bool) float64 {
		vectors := float64(ceil(cols, lane/2))
		c := float64(max(rows, min(4, tileRows))) * vectors * float64(s.K)
		if transposed {
			c += 0.5 * float64(cols) * float64(s.K)
		}
		if flip {
			c += 0.5 * float64(rows) * float64(cols) * float64(ceil(s.K, blockK))
		}
		return c
	}
	return cost(s.N, s.M, !s.TransA, true) < cost(s.M, s.N, s.TransB, false)
}

func ceil(a, b int) int { return (a + b - 1) / b }

// vectorsContiguous reports whether the columns of the vector operand need no transposition.
func (p *Plan) vectorsContiguous() bool {
	if p.flip {
		return p.TransA
	}
	return p.PackedB || !p.TransB
}

// packInPassing reports whether tasks pack the vector operand themselves, a block of K at a time. They do so if it is
// too large for the second-level cache and one block can have all rows of tiles, so that it is only read from memory
// once.
func (p *Plan) packInPassing() bool {
	const large = 256 << 10
	return p.vectorsContiguous() && !p.PackedB && p.Batch == 1 && p.packedSize() > large && p.rowTiles >= 3 &&
		p.rowTiles <= 3*maxBlockTiles(p)
}

// blockTiles returns the maximum number of tiles of a task, one below the other.
func (p *Plan) blockTiles() int {
	if p.packInPassing() {
		return p.rowTiles
	}
	return min(p.rowTiles, maxBlockTiles(p))
}

func maxBlockTiles(p *Plan) int { return maxBlockRows / p.tileRows }

func maxBlockStrips(p *Plan) int {
	if p.flip || p.packInPassing() {
		return ownBlockColumns / p.lane
	}
	return maxBlockColumns / p.lane
}

// Workspace returns the length of the scratch memory that Run needs on the given number of threads.
func (p *Plan) Workspace(threads int) int {
	packed := p.window() * p.stripSize()
	if p.PackedB || p.packInPassing() {
		packed = 0
	} else if p.packPrivately() {
		packed *= threads
	}
	return alignment + packed + threads*p.workerSize() + p.partialSize()
}

// alignment, in floats, of the parts of the workspace.
const alignment = 16

func align(n int) int { return (n + alignment - 1) / alignment * alignment }

// window returns the number of strips that are packed at the same time: windowSize floats at most, or one strip. So no
// executor ever copies a large matrix of parameters as a whole. Windows are about equal, because a small one repeats
// the work on the other operand.
func (p *Plan) window() int {
	const windowSize = 1 << 20
	if p.packPrivately() {
		return p.strips
	}
	windows := ceil(p.strips, max(1, windowSize/max(1, p.K*p.lane)))
	return ceil(p.strips, windows)
}

func (p *Plan) packedSize() int { return p.strips * p.stripSize() }

// packPrivately reports whether every worker packs strips for itself. For small operands that is faster than fetching
// them from other workers' caches.
func (p *Plan) packPrivately() bool {
	const small = 64 << 10
	return p.Batch > 1 || p.packedSize() <= small
}

// stripSize is the length of a packed strip plus one cache line, so that strips don't evict each other.
func (p *Plan) stripSize() int { return stripSize(p.K, p.lane) }

func stripSize(k, lane int) int { return align(k*lane) + alignment }

// panelSize is the length of the packed strips of a block, for the given terms of the sums.
func (p *Plan) panelSize(k int) int { return min(p.strips, maxBlockStrips(p)) * k * p.lane }

// workerSize is the length of a worker's scratch: strips that it packs in passing, a copy of a block of the broadcast
// operand, and a transposed block of C.
func (p *Plan) workerSize() int {
	_, length := Blocks(p.K)
	rows := p.blockTiles() * p.tileRows
	n := max(align((rows+alignment)*(length+2*alignment))+p.flippedSize(), p.vectorColumns)
	if p.packInPassing() {
		n += p.panelSize(length)
	}
	return n
}

func (p *Plan) flippedSize() int {
	if !p.flip {
		return 0
	}
	return p.blockTiles() * p.tileRows * (align(min(p.strips, maxBlockStrips(p))*p.lane) + alignment)
}

func (p *Plan) partialSize() int {
	if p.parts == 1 {
		return 0
	}
	return p.parts * p.M * p.N
}

// Run computes C from A and B. With beta = 0, C is not read. work holds at least Workspace(pool.Threads()) floats of
// any content. c must not overlap the others. A slice that is too short for the shape panics.
func (p *Plan) Run(pool *parallel.Pool, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int, work []float32) {
	if p.M == 0 || p.N == 0 {
		return
	}
	p.check("A", a, lda, p.M, p.K, p.TransA, p.StrideA)
	if !p.PackedB {
		p.check("B", b, ldb, p.K, p.N, p.TransB, p.StrideB)
	} else if need := PackedSize(p.variant, p.Shape); len(b) < need || p.Batch > 1 {
		panic(fmt.Sprintf("gemm: packed B [%d, %d] has %d floats, needs %d", p.K, p.N, len(b), need))
	}
	p.check("C", c, ldc, p.M, p.N, false, p.StrideC)
	if need := p.Workspace(pool.Threads()); len(work) < need {
		panic(fmt.Sprintf("gemm: workspace of %d floats where %d are needed", len(work), need))
	}
	p.begin(pool.Threads(), alpha, a, lda, b, ldb, beta, c, ldc, work)
	switch {
	case p.vectorRows > 0:
		pool.Do(ceil(p.N, p.vectorRows), (*vector)(p))
	case p.vectorColumns > 0 && p.PackedB:
		pool.Do(ceil(p.N, p.vectorColumns), (*strips)(p))
	case p.vectorColumns > 0:
		pool.Do(ceil(p.N, p.vectorColumns), (*columns)(p))
	case p.Batch > 1:
		pool.Do(p.Batch, (*products)(p))
	default:
		for more := true; more; more = p.next(pool.Threads()) {
			if p.call.pack && !p.call.passing && !p.packPrivately() {
				pool.Do(p.call.packGroups*p.call.packChunks, (*packing)(p))
			}
			pool.Do(p.parts*p.call.rowBlocks*p.call.stripBlocks, (*blocks)(p))
		}
		if p.parts > 1 {
			pool.Do(min(p.M, 16), (*summing)(p))
		}
	}
	p.call = call{}
}

func (p *Plan) check(name string, x []float32, ld, rows, cols int, trans bool, stride int) {
	if trans {
		rows, cols = cols, rows
	}
	if rows == 0 || cols == 0 {
		return
	}
	if need := (p.Batch-1)*stride + (rows-1)*ld + cols; ld < cols || len(x) < need {
		panic(fmt.Sprintf("gemm: %s [%d, %d] with leading dimension %d has %d floats, needs %d", name, rows, cols, ld,
			len(x), need))
	}
}
