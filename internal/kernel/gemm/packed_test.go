package gemm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// TestPacked: products with a packed matrix have the bits of those that read it as it is, also with NaN and Inf, for
// any number of rows and threads.
func TestPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for i, s := range shapes {
		m, n, k := s[0], s[1], s[2]
		for trans := range 4 {
			shape := gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: m, N: n, K: k}
			a := operand(rng, m, k, shape.TransA, i%3*5, i%4)
			b := operand(rng, k, n, shape.TransB, 0, i%5)
			if len(b.x) > 40 && i%2 == 1 {
				b.x[len(b.x)/2], b.x[len(b.x)/3] = float32(math.NaN()), float32(math.Inf(-1))
			}
			scales := [][2]float32{{1, 0}, {-0.5, 0.25}}
			if testing.Short() {
				scales = scales[(i+trans/2)%2:][:1]
			}
			for _, v := range kernel.Available() {
				for _, ab := range scales {
					want, got := newMatrix(rng, m, n, 0, 0), newMatrix(rng, m, n, i%3, i%3)
					for r := range m {
						copy(got.x[r*got.ld:][:n], want.x[r*n:])
					}
					run(shape, v, 2, ab[0], a, b, ab[1], want)
					packed := make([]float32, gemm.PackedSize(v, shape))
					gemm.Pack(v, shape, packed, b.x)
					on := shape
					on.PackedB = true
					run(on, v, 1+i%3, ab[0], a, matrix{x: packed}, ab[1], got)
					got.guarded(t)
					for r := range m {
						same(t, got.x[r*got.ld:][:n], want.x[r*n:][:n], fmt.Sprintf("%v %+v row %d", v, on, r))
					}
				}
			}
		}
	}
}

// follower notes which elements are finished, with their values.
type follower struct {
	mu sync.Mutex
	c  []float32
	of map[int]float32
	t  *testing.T
}

func (f *follower) Finished(_, from, to int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := from; i < to; i++ {
		if _, twice := f.of[i]; twice {
			f.t.Fatalf("element %d is finished twice", i)
		}
		f.of[i] = f.c[i]
	}
}

// TestFollowersSeeEachElementOnce: with its final value, in every kind of plan.
func TestFollowersSeeEachElementOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	pool := parallel.New(2)
	defer pool.Close()
	all := []gemm.Shape{{M: 20, N: 25, K: 5000, SplitK: true, TransA: true},
		{M: 11, N: 19, K: 23, Batch: 3, StrideA: 11 * 23, StrideB: 19 * 23, StrideC: 11 * 19}}
	for i, s := range shapes {
		for trans := range 4 {
			if testing.Short() && trans != i%4 { // the map of elements is slow
				continue
			}
			all = append(all, gemm.Shape{TransA: trans&1 == 1, TransB: trans&2 == 2, M: s[0], N: s[1], K: s[2]})
		}
	}
	for _, s := range slices.Clone(all[2:]) {
		s.PackedB = true
		all = append(all, s)
	}
	for _, s := range all {
		batch := max(1, s.Batch)
		a, b := newMatrix(rng, batch, s.M*s.K, 0, 0), newMatrix(rng, batch, s.K*s.N, 0, 0)
		lda, ldb := s.K, s.N
		if s.TransA {
			lda = s.M
		}
		if s.TransB {
			ldb = s.K
		}
		for _, v := range kernel.Available() {
			p := gemm.New(v, s)
			x := b.x
			if s.PackedB {
				x = make([]float32, gemm.PackedSize(v, s))
				gemm.Pack(v, s, x, b.x)
			}
			f := &follower{c: make([]float32, batch*s.M*s.N), of: map[int]float32{}, t: t}
			p.Follow(f)
			p.Run(pool, 1, a.x, lda, x, ldb, 0, f.c, s.N, make([]float32, p.Workspace(2)))
			if len(f.of) != len(f.c) {
				t.Fatalf("%v %+v: %d of %d elements are finished", v, s, len(f.of), len(f.c))
			}
			for i, got := range f.c {
				if got != f.of[i] {
					t.Fatalf("%v %+v: element %d was finished as %v and is %v", v, s, i, f.of[i], got)
				}
			}
		}
	}
}
