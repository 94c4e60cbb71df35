package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/parallel"
)

// The portable reference is slow, so these are fewer and smaller than the others.
var shapesOfAMX = [][3]int{{1, 1, 1}, {1, 10, 501}, {3, 33, 7}, {16, 32, 32}, {15, 17, 33}, {17, 31, 64}, {25, 37, 600},
	{50, 7, 1100}, {5, 5, 0}, {0, 4, 4}, {97, 130, 30}, {6, 16, 513}, {7, 33, 1057}, {40, 65, 260}, {300, 48, 5},
	{33, 300, 3}}

// variantsOfAMX lists the variants that this machine can run.
func variantsOfAMX() []kernel.Variant {
	if kernel.HasAMX() {
		return []kernel.Variant{kernel.Portable, kernel.AVX512}
	}
	return []kernel.Variant{kernel.Portable}
}

func runAMX(s gemm.Shape, v kernel.Variant, threads int, a, b matrix, beta float32, c matrix) {
	pool := parallel.New(threads)
	defer pool.Close()
	p := gemm.NewAMX(v, s)
	work := make([]float32, p.Workspace(threads)+1)
	for i := range work {
		work[i] = float32(math.NaN())
	}
	p.Run(pool, 1, a.x, a.ld, b.x, b.ld, beta, c.x, c.ld, work[1:])
}

// TestAMXAgainstPlainLoops compares with sums of rounded factors in float64.
func TestAMXAgainstPlainLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 6))
	for i, s := range shapesOfAMX {
		for trans := range 4 {
			if testing.Short() && trans != i%4 && trans != (i+1)%4 {
				continue
			}
			m, n, k := s[0], s[1], s[2]
			shape := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: m, N: n, K: k}
			a := operand(rng, m, k, shape.TransA, i%3*5, i%4)
			b := operand(rng, k, n, shape.TransB, i%2*3, i%5)
			if k == 0 { // rows of nothing that are apart
				a.ld, b.ld = 5, 5
			}
			product, size := make([]float64, m*n), make([]float64, m*n)
			for x := range k {
				for r := range m {
					left := rounded(at(a, shape.TransA, r, x))
					for j := range n {
						term := left * rounded(at(b, shape.TransB, x, j))
						product[r*n+j] += term
						size[r*n+j] += math.Abs(term)
					}
				}
			}
			beta := float32((i + trans) % 2)
			old := newMatrix(rng, m, n, i%3, i%3)
			for _, v := range variantsOfAMX() {
				c := newMatrix(rng, m, n, i%3, i%3)
				copy(c.x, old.x)
				runAMX(shape, v, 1+i%3, a, b, beta, c)
				c.guarded(t)
				for e, w := range product {
					want := w + float64(beta*old.x[e/n*c.ld+e%n])
					if got := float64(c.x[e/n*c.ld+e%n]); !near.Equal(got, want, 1e-6*(size[e]+1), 0) {
						t.Fatalf("%v, %+v, %v: element %d, %d is %v, want %v", v, shape, beta, e/n, e%n, got, want)
					}
				}
			}
		}
	}
}

// TestAMXIsExact: the processor's instruction and the portable reference give the same bits, also for numbers that are
// not finite, that overflow, that are denormal, and for sums between two floats.
func TestAMXIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 8))
	special := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -3e-39, 1.1754944e-38, 1e-20, -1e-19, 3e38, -3e38, 1e20,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.Float32frombits(0x7f800001), 1, 1.00390625,
		1.01171875, 3.3895314e38, 65536, math.Float32frombits(0x007fffff)}
	for i, s := range shapesOfAMX {
		for round := range 4 {
			for trans := round % 2; trans < 4; trans += 2 {
				if testing.Short() && (round+trans)/2%2 != i%2 {
					continue
				}
				shape := gemm.Shape{TransA: trans&1 == 1, TransB: (trans+i)&2 == 2, M: s[0], N: s[1], K: s[2], SplitK: i%3 == 0}
				a := operand(rng, s[0], s[2], shape.TransA, i%3, i%4)
				b := operand(rng, s[2], s[1], shape.TransB, i%2, i%5)
				for _, m := range []matrix{a, b} {
					for at := range m.x {
						switch {
						case round == 1: // of very different sizes
							m.x[at] *= float32(math.Ldexp(1, rng.IntN(40)-20))
						case round == 2: // near the smallest
							m.x[at] *= float32(math.Ldexp(1, -rng.IntN(90)))
						case round == 3 && rng.IntN(1+s[2]) < 2:
							m.x[at] = special[rng.IntN(len(special))]
						}
					}
				}
				var first matrix
				for threads, v := range variantsOfAMX() {
					c := newMatrix(rng, s[0], s[1], 0, 0)
					runAMX(shape, v, 1+2*threads, a, b, 0, c)
					if first.x == nil {
						first = c
					}
					for at, x := range c.x {
						if y := first.x[at]; math.Float32bits(x) != math.Float32bits(y) && (x == x || y == y) {
							t.Fatalf("round %d, %+v, %v: element %d is %g, the portable one %g", round, shape, v, at, x, y)
						}
					}
				}
			}
		}
	}
}

// TestAMXRowsDoNotDependOnTheirNumber: a row of C has the same bits in a product of one row, and with a packed matrix.
func TestAMXRowsDoNotDependOnTheirNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 10))
	for _, v := range variantsOfAMX() {
		for _, transB := range []bool{false, true} {
			s := gemm.Shape{M: 37, N: 70, K: 1111, TransB: transB}
			a, b := operand(rng, s.M, s.K, false, 3, 0), operand(rng, s.K, s.N, transB, 0, 0)
			all, one, packed := newMatrix(rng, s.M, s.N, 0, 0), newMatrix(rng, 1, s.N, 0, 0), newMatrix(rng, 1, s.N, 0, 0)
			runAMX(s, v, 2, a, b, 0, all)
			row := a
			row.x = a.x[30*a.ld:]
			s.M = 1
			runAMX(s, v, 2, row, b, 0, one)
			tiles := matrix{x: make([]float32, gemm.AMXPackedSize(s))}
			gemm.AMXPack(v, s, tiles.x, b.x)
			s.PackedB = true
			runAMX(s, v, 3, row, tiles, 0, packed)
			same(t, one.x, all.x[30*all.ld:][:s.N], v.String())
			same(t, packed.x, one.x, v.String()+", packed")
		}
	}
}

// TestAMXBatch multiplies several matrices.
func TestAMXBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 12))
	for _, v := range variantsOfAMX() {
		for trans := range 4 {
			s := gemm.Shape{M: 35, N: 33, K: 70, TransA: trans&1 == 1, TransB: trans&2 == 2}
			a, b := newMatrix(rng, 3*s.M, s.K, 0, 0), newMatrix(rng, 3*s.K, s.N, 0, 0)
			all := newMatrix(rng, 3*s.M, s.N, 0, 0)
			a.ld, b.ld = s.K, s.N
			if s.TransA {
				a.ld = s.M
			}
			if s.TransB {
				b.ld = s.K
			}
			batch := s
			batch.Batch, batch.StrideA, batch.StrideB, batch.StrideC = 3, s.M*s.K, s.K*s.N, s.M*s.N
			runAMX(batch, v, 2, a, b, 0, all)
			for i := range 3 {
				one := newMatrix(rng, s.M, s.N, 0, 0)
				part := func(m matrix, stride int) matrix { m.x = m.x[i*stride:]; return m }
				runAMX(s, v, 1, part(a, batch.StrideA), part(b, batch.StrideB), 0, one)
				same(t, all.x[i*batch.StrideC:][:len(one.x)], one.x, fmt.Sprintf("%v, product %d", v, i))
			}
		}
	}
}

// TestAMXFollowersSeeEachElementOnce: with its final value, and without an allocation.
func TestAMXFollowersSeeEachElementOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(23, 16))
	pool := parallel.New(2)
	defer pool.Close()
	for _, s := range []gemm.Shape{{M: 70, N: 600, K: 5}, {M: 600, N: 70, K: 5}, {M: 3, N: 600, K: 5, PackedB: true},
		{M: 40, N: 50, K: 20, Batch: 3, StrideA: 800, StrideB: 1000, StrideC: 2000}} {
		batch := max(1, s.Batch)
		a, b := newMatrix(rng, batch, s.M*s.K, 0, 0), newMatrix(rng, batch, s.K*s.N, 0, 0)
		for _, v := range variantsOfAMX() {
			p, x := gemm.NewAMX(v, s), b.x
			if s.PackedB {
				x = make([]float32, gemm.AMXPackedSize(s))
				gemm.AMXPack(v, s, x, b.x)
			}
			f := &follower{c: make([]float32, batch*s.M*s.N), of: map[int]float32{}, t: t}
			work := make([]float32, p.Workspace(2))
			p.Follow(f)
			p.Run(pool, 1, a.x, s.K, x, s.N, 0, f.c, s.N, work)
			if len(f.of) != len(f.c) {
				t.Fatalf("%v %+v: %d of %d elements are finished", v, s, len(f.of), len(f.c))
			}
			for i, got := range f.c {
				if got != f.of[i] {
					t.Fatalf("%v %+v: element %d was finished as %v and is %v", v, s, i, f.of[i], got)
				}
			}
			p.Follow(nil)
			if n := allocs.PerRun(10, func() { p.Run(pool, 1, a.x, s.K, x, s.N, 0, f.c, s.N, work) }); n > 0 {
				t.Errorf("%v %+v: %v allocations", v, s, n)
			}
		}
	}
}
