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
var shapesOfAMX = [][3]int{{1, 1, 1}, {1, 10, 501}, {3, 33, 7}, {16, 32, 32}, {15, 17, 33}, {17, 31, 64}, {25, 65, 600},
	{100, 7, 1100}, {5, 5, 0}, {0, 4, 4}, {97, 257, 30}, {6, 16, 513}, {14, 48, 1025}, {40, 130, 520}, {130, 48, 40},
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
			for _, beta := range []float32{0, 1} {
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
			for trans := range 4 {
				shape := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: s[0], N: s[1], K: s[2], SplitK: i%3 == 0}
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
				for _, v := range variantsOfAMX() {
					for threads := 1; threads <= 3; threads += 2 {
						c := newMatrix(rng, s[0], s[1], 0, 0)
						runAMX(shape, v, threads, a, b, 0, c)
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
}
