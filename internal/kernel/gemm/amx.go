package gemm

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// AMX multiplies matrices whose elements it rounds to bfloat16. Sums are float32: for 32 terms at a time, the even
// terms and the odd ones have a chain of fused multiply-adds each. Both are added to each other, and then to the
// element of C. Denormal numbers are 0. Elements of C have the independence that the package promises, and the
// processor gives the bits of the portable reference. SplitK has no effect. It belongs to one executor.
type AMX struct {
	Shape
	Following

	variant     kernel.Variant
	left, right side // A and B
	passLeft    bool // tasks pack the left factor in passing, otherwise the right one; the other one is packed before
	config      [2][2]tileConfig

	call amxCall
}

// The length of a tile in terms of a sum, in rows or columns of C, and in floats of memory.
const (
	tileK     = 32
	tileN     = 16
	tileSize  = tileN * tileN
	unitTiles = 2         // tiles of rows or of columns that are multiplied at the same time
	unit      = 2 * tileN // and their rows or columns
	blockTile = 32        // tiles of K that are packed in passing at a time
)

// NewAMX plans the products of one shape. The kernels of AVX-512 need kernel.HasAMX.
func NewAMX(v kernel.Variant, s Shape) *AMX {
	if s.M < 0 || s.N < 0 || s.K < 0 || s.Batch < 0 {
		panic(fmt.Sprintf("gemm: negative size in %+v", s))
	}
	if v == kernel.AVX512 && !kernel.HasAMX() {
		panic("gemm: the processor has no AMX, or the operating system does not permit it")
	}
	s.Batch = max(1, s.Batch)
	p := &AMX{Shape: s, variant: v}
	p.left, p.right = amxSides(s)
	p.passLeft = s.PackedB || p.left.tiles() >= p.right.tiles()
	for r, rows := range [2]int{unit, p.left.n % unit} {
		for c, cols := range [2]int{unit, p.right.n % unit} {
			p.config[r][c] = newTileConfig(rows, cols)
		}
	}
	return p
}

// amxSides returns op(A) and op(B).
func amxSides(s Shape) (left, right side) {
	return side{n: s.M, k: s.K, along: !s.TransA, transposed: s.TransA},
		side{n: s.N, k: s.K, along: s.TransB, transposed: s.TransB}
}

// shared returns the factor that is packed before tasks, and passing the other one.
func (p *AMX) shared() *side {
	if p.passLeft {
		return &p.right
	}
	return &p.left
}

func (p *AMX) passing() *side {
	if p.passLeft {
		return &p.left
	}
	return &p.right
}

func (p *AMX) sharedSize() int {
	if p.PackedB {
		return 0
	}
	return p.shared().packedSize()
}

// passUnits is the maximum number of units that a task packs in passing.
const passUnits = 8

// workerSize is the length of a worker's scratch: a tile's elements and packed tiles.
func (p *AMX) workerSize() int {
	passed := min(passUnits, ceil(p.passing().n, unit)) * unitTiles * min(blockTile, p.passing().kTiles()) * tileSize
	n := 2*tileSize + passed
	if p.Batch > 1 {
		n += p.sharedSize()
	}
	return n
}

// Workspace returns the length of the scratch memory that Run needs on the given number of threads.
func (p *AMX) Workspace(threads int) int {
	n := alignment + threads*p.workerSize()
	if p.Batch == 1 {
		n += p.sharedSize()
	}
	return n
}

// Run computes C from A and B, as [Plan.Run] does. alpha is 1 and beta 0 or 1. With beta = 1, sums begin with C.
func (p *AMX) Run(pool *parallel.Pool, alpha float32, a []float32, lda int, b []float32, ldb int, beta float32,
	c []float32, ldc int, work []float32) {
	if p.M == 0 || p.N == 0 {
		return
	}
	p.check("A", a, lda, p.M, p.K, p.TransA, p.StrideA)
	if !p.PackedB {
		p.check("B", b, ldb, p.K, p.N, p.TransB, p.StrideB)
	} else if need := p.right.packedSize(); len(b) < need || p.Batch > 1 {
		panic(fmt.Sprintf("gemm: packed B [%d, %d] has %d floats, needs %d", p.K, p.N, len(b), need))
	}
	p.check("C", c, ldc, p.M, p.N, false, p.StrideC)
	if need := p.Workspace(pool.Threads()); len(work) < need {
		panic(fmt.Sprintf("gemm: workspace of %d floats where %d are needed", len(work), need))
	}
	if alpha != 1 || beta != 0 && beta != 1 {
		panic(fmt.Sprintf("gemm: AMX products with alpha %v and beta %v", alpha, beta))
	}
	p.begin(pool.Threads(), a, lda, b, ldb, beta == 1, c, ldc, work[misaligned(work):])
	switch {
	case p.Batch > 1:
		pool.Do(p.Batch, (*amxProducts)(p))
	case p.PackedB:
		pool.Do(p.call.units*p.call.blocks, (*amxTasks)(p))
	default:
		pool.Do(p.shared().parts(), (*amxPacking)(p))
		pool.Do(p.call.units*p.call.blocks, (*amxTasks)(p))
	}
	p.call = amxCall{}
}

func (p *AMX) check(name string, x []float32, ld, rows, cols int, trans bool, stride int) {
	(&Plan{Shape: p.Shape}).check(name, x, ld, rows, cols, trans, stride)
}

// AMXPackedSize returns the length of op(B) in tiles.
func AMXPackedSize(s Shape) int {
	_, right := amxSides(s)
	return right.packedSize()
}

// AMXPack writes op(B) to dst, which has AMXPackedSize elements, as [Pack] does.
func AMXPack(v kernel.Variant, s Shape, dst, b []float32) {
	_, right := amxSides(s)
	ld := s.N
	if s.TransB {
		ld = s.K
	}
	right.pack(v, dst, right.kTiles()*tileSize, b, ld, 0, right.tiles(), 0, right.kTiles(), make([]float32, 2*tileSize))
}
