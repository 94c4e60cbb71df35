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

// matrix is a slice in the middle of a larger one. The rest of that must not change.
type matrix struct {
	all, x     []float32
	ld         int
	rows, cols int
}

const guard = float32(12345)

func newMatrix(rng *rand.Rand, rows, cols, extra, shift int) matrix {
	n := rows*(cols+extra) - extra
	if rows == 0 {
		n = 0
	}
	m := matrix{all: make([]float32, n+2*40+shift), ld: cols + extra, rows: rows, cols: cols}
	for i := range m.all {
		m.all[i] = guard
	}
	m.x = m.all[40+shift:][:n:n]
	for r := range rows {
		for c := range cols {
			m.x[r*m.ld+c] = rng.Float32()*2 - 1
		}
	}
	return m
}

func (m matrix) guarded(t *testing.T) {
	t.Helper()
	start := len(m.all) - 40 - len(m.x)
	untouched := func(from, to int) {
		for i, v := range m.all[from:to] {
			if v != guard {
				t.Fatalf("wrote %v at %d, outside [%d, %d] with leading dimension %d", v, from+i-start, m.rows, m.cols, m.ld)
			}
		}
	}
	untouched(0, start)
	for r := range m.rows - 1 {
		untouched(start+r*m.ld+m.cols, start+(r+1)*m.ld)
	}
	untouched(start+len(m.x), len(m.all))
}

func at(m matrix, trans bool, i, j int) float64 {
	if trans {
		i, j = j, i
	}
	return float64(m.x[i*m.ld+j])
}

func operand(rng *rand.Rand, rows, cols int, trans bool, extra, shift int) matrix {
	if trans {
		rows, cols = cols, rows
	}
	return newMatrix(rng, rows, cols, extra, shift)
}

func run(s gemm.Shape, v kernel.Variant, threads int, alpha float32, a, b matrix, beta float32, c matrix) {
	pool := parallel.New(threads)
	defer pool.Close()
	p := gemm.New(v, s)
	work := make([]float32, p.Workspace(threads)+1)
	for i := range work {
		work[i] = float32(math.NaN())
	}
	p.Run(pool, alpha, a.x, a.ld, b.x, b.ld, beta, c.x, c.ld, work[1:])
}

var shapes = [][3]int{
	{1, 1, 1}, {1, 10, 500}, {64, 10, 500}, {3, 33, 7}, {12, 32, 16}, {13, 31, 17}, {25, 65, 600}, {64, 500, 84},
	{100, 7, 1100}, {1, 300, 33}, {130, 70, 129}, {37, 300, 5}, {5, 5, 0}, {1, 20, 0}, {0, 4, 4}, {97, 257, 30},
	{6, 16, 513}, {14, 48, 2048},
	{40, 530, 520}, {550, 41, 560}, {1, 270, 1100},
}

func TestAgainstPlainLoops(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i, s := range shapes {
		for trans := range 4 {
			m, n, k := s[0], s[1], s[2]
			shape := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: m, N: n, K: k}
			a := operand(rng, m, k, shape.TransA, i%3*5, i%4)
			b := operand(rng, k, n, shape.TransB, i%2*3, i%5)
			old := newMatrix(rng, m, n, 0, 0)
			product := make([]float64, m*n)
			for r := range m {
				row := product[r*n:][:n]
				for x := range k {
					left := at(a, shape.TransA, r, x)
					for j := range row {
						row[j] += left * at(b, shape.TransB, x, j)
					}
				}
			}
			scales := [][2]float32{{1, 0}, {1, 1}, {-0.5, 0}, {2, 0.25}}
			if testing.Short() { // plain Go, and QEMU, are slow: each one with another transposition
				scales = scales[(i+trans)%4:][:1]
			}
			for _, v := range kernel.Available() {
				for _, ab := range scales {
					c := newMatrix(rng, m, n, i%3, i%3)
					for r := range m {
						for j := range n {
							c.x[r*c.ld+j] = old.x[r*n+j]
							if ab[1] == 0 {
								c.x[r*c.ld+j] = float32(math.NaN())
							}
						}
					}
					run(shape, v, 1+i%3, ab[0], a, b, ab[1], c)
					for r := range m {
						for j := range n {
							want := float64(ab[0])*product[r*n+j] + float64(ab[1])*at(old, false, r, j)
							got := float64(c.x[r*c.ld+j])
							if !near.Equal(got, want, 4e-6*math.Sqrt(float64(k+1)), 0) {
								t.Fatalf("%v %+v alpha, beta %v: C[%d][%d] = %v, want %v", v, shape, ab, r, j, got, want)
							}
						}
					}
					a.guarded(t)
					b.guarded(t)
					c.guarded(t)
				}
			}
		}
	}
}

// A row of C is the same, to the last bit, alone and in a batch, on any number of threads, wherever it is in memory.
// TestWindows: a matrix that is packed a window at a time gives what its columns give by themselves, bit for bit, and
// the scratch memory is bounded.
func TestWindows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, k, left = 2500, 1001, 700
	m := 64
	if testing.Short() { // three rows of tiles or more
		m = 40
	}
	for _, trans := range []bool{false, true} {
		a, b := operand(rng, m, k, false, 0, 0), operand(rng, k, n, trans, 0, 0)
		first, second := b, b
		first.x, second.x = b.x, b.x[left:]
		if trans {
			second.x = b.x[left*b.ld:]
		}
		for _, v := range kernel.Available() {
			whole, parts := newMatrix(rng, m, n, 0, 0), newMatrix(rng, m, n, 0, 0)
			shape := gemm.Shape{TransB: trans, M: m, N: n, K: k}
			if size := gemm.New(v, shape).Workspace(2); size > 3<<19 {
				t.Errorf("%v: %d floats of scratch memory for a matrix of %d", v, size, n*k)
			}
			run(shape, v, 2, 1, a, b, 0, whole)
			shape.N = left
			run(shape, v, 3, 1, a, first, 0, parts)
			shape.N = n - left
			right := parts
			right.x = parts.x[left:]
			run(shape, v, 1, 1, a, second, 0, right)
			for r := range m {
				same(t, parts.x[r*parts.ld:r*parts.ld+n], whole.x[r*whole.ld:r*whole.ld+n],
					fmt.Sprintf("%v, transposed %v, row %d", v, trans, r))
			}
		}
	}
}

func TestRowsDoNotDependOnTheirBatch(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	scales, on := [][2]float32{{1, 0}, {1.5, -0.7}}, []int{1, 2, 3, 5}
	if testing.Short() {
		scales, on = scales[1:], []int{1, 3}
	}
	for _, v := range kernel.Available() {
		for _, s := range [][2]int{{10, 500}, {130, 524}, {33, 31}, {40, 1024}, {512, 40}, {300, 64}} {
			for trans := range 4 {
				transA, transB := trans&1 == 1, trans&2 == 2
				n, k := s[0], s[1]
				const m = 67
				a := operand(rng, m, k, transA, 0, 0)
				b := operand(rng, k, n, transB, 0, 0)
				c0 := newMatrix(rng, m, n, 0, 0)
				for _, ab := range scales {
					var first []float32
					for _, threads := range on {
						c := newMatrix(rng, m, n, 0, 0)
						copy(c.x, c0.x)
						run(gemm.Shape{TransA: transA, TransB: transB, M: m, N: n, K: k}, v, threads, ab[0], a, b, ab[1], c)
						if first == nil {
							first = c.x
						}
						same(t, c.x, first, fmt.Sprintf("%v %v %v on %d threads", v, s, trans, threads))
					}
					for _, rows := range [][2]int{{0, 1}, {66, 67}, {5, 8}, {20, 50}} {
						r0, count := rows[0], rows[1]-rows[0]
						sub := a
						if transA {
							sub.x = a.x[r0:]
						} else {
							sub.x = a.x[r0*a.ld:]
						}
						c := newMatrix(rng, count, n, 9, 1)
						for r := range count {
							copy(c.x[r*c.ld:][:n], c0.x[(r0+r)*n:])
						}
						run(gemm.Shape{TransA: transA, TransB: transB, M: count, N: n, K: k}, v, 2, ab[0], sub, b, ab[1], c)
						for r := range count {
							same(t, c.x[r*c.ld:][:n], first[(r0+r)*n:][:n], fmt.Sprintf("%v %v %v rows %v", v, s, trans, rows))
						}
					}
				}
			}
		}
	}
}

func same(t *testing.T, got, want []float32, what string) {
	t.Helper()
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Fatalf("%s: element %d is %v, elsewhere %v", what, i, got[i], want[i])
		}
	}
}

func TestNonFiniteValuesSpread(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for _, v := range kernel.Available() {
		for trans := range 4 {
			transA, transB := trans&1 == 1, trans&2 == 2
			a, b := operand(rng, 20, 40, transA, 0, 0), operand(rng, 40, 50, transB, 0, 0)
			clear(a.x)
			set := func(m matrix, trans bool, i, j int, v float32) {
				if trans {
					i, j = j, i
				}
				m.x[i*m.ld+j] = v
			}
			set(a, transA, 3, 7, nan)
			set(a, transA, 4, 7, 1)
			set(b, transB, 7, 9, inf)
			c := newMatrix(rng, 20, 50, 0, 0)
			run(gemm.Shape{TransA: transA, TransB: transB, M: 20, N: 50, K: 40}, v, 2, 1, a, b, 0, c)
			for i := range 20 {
				for j := range 50 {
					got := float64(c.x[i*50+j])
					switch {
					case i == 4 && j == 9:
						if !math.IsInf(got, 1) {
							t.Errorf("%v %d: 1*Inf gave %v", v, trans, got)
						}
					case i == 3 || j == 9:
						if !math.IsNaN(got) {
							t.Errorf("%v %d: NaN or 0*Inf gave %v at %d, %d", v, trans, got, i, j)
						}
					case i != 4 && got != 0:
						t.Errorf("%v %d: zeros gave %v", v, trans, got)
					}
				}
			}
		}
	}
}

func TestSplitKDoesNotDependOnThreads(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	const m, n, k = 20, 25, 5000
	for _, v := range kernel.Available() {
		a, b := operand(rng, m, k, true, 0, 0), operand(rng, k, n, false, 0, 0)
		s := gemm.Shape{TransA: true, M: m, N: n, K: k, SplitK: true}
		var first []float32
		for _, threads := range []int{1, 2, 3, 5} {
			c := newMatrix(rng, m, n, 2, 0)
			for i := range c.x {
				if i%c.ld < n {
					c.x[i] = 1
				}
			}
			run(s, v, threads, 2, a, b, 0.5, c)
			c.guarded(t)
			if first == nil {
				first = c.x
				for i := range m {
					for j := range n {
						want := 0.5
						for x := range k {
							want += 2 * at(a, true, i, x) * at(b, false, x, j)
						}
						if got := float64(c.x[i*c.ld+j]); !near.Equal(got, want, 1e-3, 0) {
							t.Fatalf("%v: C[%d][%d] = %v, want %v", v, i, j, got, want)
						}
					}
				}
			}
			same(t, c.x, first, fmt.Sprintf("%v on %d threads", v, threads))
		}
	}
}

func TestBatchIsManyProducts(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	const batch, m, n, k = 7, 11, 19, 23
	for _, v := range kernel.Available() {
		for trans := range 4 {
			s := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: m, N: n, K: k}
			a, b := newMatrix(rng, batch, m*k, 0, 0), newMatrix(rng, batch, k*n, 0, 0)
			lda, ldb := k, n
			if s.TransA {
				lda = m
			}
			if s.TransB {
				ldb = k
			}
			want, got := newMatrix(rng, batch, m*n, 0, 0), newMatrix(rng, batch, m*n, 0, 0)
			for i := range batch {
				run(s, v, 1, 1, matrix{x: a.x[i*m*k:], ld: lda}, matrix{x: b.x[i*k*n:], ld: ldb}, 0,
					matrix{x: want.x[i*m*n:], ld: n})
			}
			s.Batch, s.StrideA, s.StrideB, s.StrideC = batch, m*k, k*n, m*n
			run(s, v, 3, 1, matrix{x: a.x, ld: lda}, matrix{x: b.x, ld: ldb}, 0, matrix{x: got.x, ld: n})
			same(t, got.x, want.x, v.String())
			got.guarded(t)
		}
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	pool := parallel.New(2)
	defer pool.Close()
	for _, v := range kernel.Available() {
		for trans := range 4 {
			s := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: 64, N: 50, K: 78}
			a, b, c := operand(rng, 64, 78, s.TransA, 0, 0), operand(rng, 78, 50, s.TransB, 0, 0), newMatrix(rng, 64, 50, 0, 0)
			p := gemm.New(v, s)
			work := make([]float32, p.Workspace(2))
			if n := allocs.PerRun(10, func() {
				p.Run(pool, 1, a.x, a.ld, b.x, b.ld, 0, c.x, c.ld, work)
			}); n != 0 {
				t.Errorf("%v: %v allocations", v, n)
			}
		}
	}
}

func TestShortSlicesPanic(t *testing.T) {
	pool := parallel.New(1)
	defer pool.Close()
	p := gemm.New(kernel.Portable, gemm.Shape{M: 4, N: 5, K: 6})
	work := make([]float32, p.Workspace(1))
	for _, n := range [][3]int{{23, 30, 20}, {24, 29, 20}, {24, 30, 19}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("no panic with %v floats", n)
				}
			}()
			p.Run(pool, 1, make([]float32, n[0]), 6, make([]float32, n[1]), 5, 0, make([]float32, n[2]), 5, work)
		}()
	}
}
