package gemm

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/parallel"
)

// AMX multiplies matrices whose elements it rounds to bfloat16, with tiles of 16 rows of 16 pairs of terms. Sums are
// float32. An element of C is a sum over tiles, 32 terms each. Of a tile, the even terms and the odd ones have a chain of
// fused multiply-adds each, which are added to each other and then to C. Denormal numbers are 0. Elements of C have
// the independence that the package promises, and the processor gives the bits of the portable reference. SplitK has
// no effect. It belongs to one executor.
type AMX struct {
	Shape
	Following

	variant     kernel.Variant
	flip        bool // computes the transpose of C, from those of B and A
	left, right side // the factors of what is computed
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
	blockTile = 16        // tiles of K that are packed in passing at a time
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
	p.flip = !s.PackedB && amxCost(s, true) < amxCost(s, false)
	p.left, p.right = amxSides(s, p.flip)
	p.passLeft = s.PackedB || p.left.tiles() >= p.right.tiles()
	for r, rows := range [2]int{unit, p.left.n % unit} {
		for c, cols := range [2]int{unit, p.right.n % unit} {
			p.config[r][c] = newTileConfig(rows, cols)
		}
	}
	return p
}

// amxSides returns the factors of C, or those of its transpose.
func amxSides(s Shape, flip bool) (left, right side) {
	left = side{n: s.M, k: s.K, along: !s.TransA, transposed: s.TransA, stride: s.StrideA}
	right = side{n: s.N, k: s.K, along: s.TransB, transposed: s.TransB, stride: s.StrideB}
	if flip {
		left, right = right, left
		left.transposed, right.transposed = !left.transposed, !right.transposed
	}
	return left, right
}

// amxCost estimates the time of packing and of transposing the result. Both ways give the same bits.
func amxCost(s Shape, flip bool) int {
	left, right := amxSides(s, flip)
	const direct, transposing, result = 1, 3, 4
	cost := 0
	for _, f := range []side{left, right} {
		if f.transposed {
			cost += transposing * f.tiles() * f.kTiles()
		} else {
			cost += direct * f.tiles() * f.kTiles()
		}
	}
	if flip {
		cost += result * left.tiles() * right.tiles()
	}
	return cost
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

// A task takes at most passUnits units of the factor that it packs in passing. Where it cannot leave sums in C, it
// takes sumUnits units of the other one at a time.
const (
	passUnits = 4
	sumUnits  = 8
)

// workerSize is the length of a worker's scratch: a tile's elements, packed tiles, and sums.
func (p *AMX) workerSize() int {
	passed := min(passUnits, ceil(p.passing().n, unit)) * unitTiles * min(blockTile, p.passing().kTiles()) * tileSize
	n := 2*tileSize + passed + passUnits*sumUnits*unit*unit
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

// Run computes C from A and B, as [Plan.Run] does.
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
	p.begin(pool.Threads(), alpha, a, lda, b, ldb, beta, c, ldc, work[misaligned(work):])
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
	_, right := amxSides(s, false)
	return right.packedSize()
}

// AMXPack writes op(B) to dst, which has AMXPackedSize elements, as [Pack] does.
func AMXPack(v kernel.Variant, s Shape, dst, b []float32) {
	_, right := amxSides(s, false)
	ld := s.N
	if s.TransB {
		ld = s.K
	}
	right.pack(v, dst, right.kTiles()*tileSize, b, ld, 0, right.tiles(), 0, right.kTiles(), make([]float32, 2*tileSize))
}
