package gemm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/internal/parallel"
)

// The portable reference is slow, so these are fewer and smaller than the others.
var shapesOfBF16 = [][3]int{{1, 1, 1}, {1, 10, 501}, {3, 33, 7}, {12, 32, 16}, {13, 31, 17}, {25, 65, 600},
	{100, 7, 1100}, {5, 5, 0}, {0, 4, 4}, {97, 257, 30}, {6, 16, 513}, {14, 48, 2049}, {40, 130, 520}}

// variantsOfBF16 lists the variants that this machine can run.
func variantsOfBF16() []kernel.Variant {
	if kernel.HasBF16() {
		return []kernel.Variant{kernel.Portable, kernel.AVX512}
	}
	return []kernel.Variant{kernel.Portable}
}

func runBF16(s gemm.Shape, v kernel.Variant, threads int, a, b, c matrix) {
	pool := parallel.New(threads)
	defer pool.Close()
	p := gemm.NewBF16(v, s)
	work := make([]float32, p.Workspace(threads)+1)
	for i := range work {
		work[i] = float32(math.NaN())
	}
	p.Run(pool, 1, a.x, a.ld, b.x, b.ld, 0, c.x, c.ld, work[1:])
}

// rounded returns a finite x with 8 significant bits, to the nearest, of two to the even one.
func rounded(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	return math.Ldexp(math.RoundToEven(math.Ldexp(fraction, 8)), exponent-8)
}

// TestBF16AgainstPlainLoops compares with sums of rounded factors in float64.
func TestBF16AgainstPlainLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i, s := range shapesOfBF16 {
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
			want, size := make([]float64, m*n), make([]float64, m*n)
			for x := range k {
				for r := range m {
					left := rounded(at(a, shape.TransA, r, x))
					for j := range n {
						term := left * rounded(at(b, shape.TransB, x, j))
						want[r*n+j] += term
						size[r*n+j] += math.Abs(term)
					}
				}
			}
			for _, v := range variantsOfBF16() {
				c := newMatrix(rng, m, n, i%3, i%3)
				runBF16(shape, v, 1+i%3, a, b, c)
				c.guarded(t)
				for e, w := range want {
					if got := float64(c.x[e/n*c.ld+e%n]); !near.Equal(got, w, 1e-6*(size[e]+1), 0) {
						t.Fatalf("%v, %+v: element %d, %d is %v, want %v", v, shape, e/n, e%n, got, w)
					}
				}
			}
		}
	}
}

// TestBF16IsExact: the processor's instruction and the portable reference give the same bits, also for numbers that
// are not finite, that overflow, that are denormal, and for sums between two floats.
func TestBF16IsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	special := []float32{0, float32(math.Copysign(0, -1)), 1e-40, -3e-39, 1.1754944e-38, 1e-20, -1e-19, 3e38, -3e38, 1e20,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), math.Float32frombits(0x7f800001), 1, 1.00390625,
		1.01171875, 3.3895314e38, 65536}
	for i, s := range shapesOfBF16 {
		for round := range 4 {
			if testing.Short() && round%2 != i%2 {
				continue
			}
			shape := gemm.Shape{TransA: i&1 == 1, TransB: i&2 == 2, M: s[0], N: s[1], K: s[2], SplitK: i%3 == 0}
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
			for _, v := range variantsOfBF16() {
				for threads := 1; threads <= 3; threads += 2 {
					c := newMatrix(rng, s[0], s[1], 0, 0)
					runBF16(shape, v, threads, a, b, c)
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

// TestBF16RowsDoNotDependOnTheirNumber: a row of C has the same bits in a product of one row.
func TestBF16RowsDoNotDependOnTheirNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, v := range variantsOfBF16() {
		for _, transB := range []bool{false, true} {
			s := gemm.Shape{M: 37, N: 70, K: 1111, TransB: transB}
			a, b := operand(rng, s.M, s.K, false, 3, 0), operand(rng, s.K, s.N, transB, 1, 0)
			all, one := newMatrix(rng, s.M, s.N, 0, 0), newMatrix(rng, 1, s.N, 0, 0)
			runBF16(s, v, 2, a, b, all)
			row := a
			row.x = a.x[30*a.ld:]
			s.M = 1
			runBF16(s, v, 2, row, b, one)
			for j, x := range one.x {
				if x != all.x[30*all.ld+j] {
					t.Fatalf("%v: column %d is %v alone, %v among others", v, j, x, all.x[30*all.ld+j])
				}
			}
		}
	}
}

// TestBF16Batch multiplies several matrices.
func TestBF16Batch(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, v := range variantsOfBF16() {
		s := gemm.Shape{M: 9, N: 33, K: 7}
		a, b := newMatrix(rng, 3*s.M, s.K, 0, 0), newMatrix(rng, 3*s.K, s.N, 0, 0)
		all := newMatrix(rng, 3*s.M, s.N, 0, 0)
		batch := s
		batch.Batch, batch.StrideA, batch.StrideB, batch.StrideC = 3, s.M*s.K, s.K*s.N, s.M*s.N
		runBF16(batch, v, 2, a, b, all)
		for i := range 3 {
			one := newMatrix(rng, s.M, s.N, 0, 0)
			part := func(m matrix, stride int) matrix { m.x = m.x[i*stride:]; return m }
			runBF16(s, v, 1, part(a, batch.StrideA), part(b, batch.StrideB), one)
			for at, x := range one.x {
				if y := all.x[i*batch.StrideC+at]; x != y {
					t.Fatalf("%v: element %d of product %d is %v, want %v", v, at, i, y, x)
				}
			}
		}
	}
}
