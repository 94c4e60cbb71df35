package gemm_test

import (
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
)

// TestAMXSurvivesSignals multiplies on goroutines that signals and the garbage collector interrupt: the system keeps
// the tiles of each thread meanwhile.
func TestAMXSurvivesSignals(t *testing.T) {
	if !kernel.HasAMX() {
		return
	}
	rng := rand.New(rand.NewPCG(25, 16))
	s := gemm.Shape{M: 200, N: 300, K: 500}
	a, b, want := newMatrix(rng, s.M, s.K, 0, 0), newMatrix(rng, s.K, s.N, 0, 0), newMatrix(rng, s.M, s.N, 0, 0)
	runAMX(s, kernel.AVX512, 1, a, b, 0, want)
	var done atomic.Bool
	var others, products sync.WaitGroup
	others.Go(func() {
		for !done.Load() {
			if err := unix.Kill(os.Getpid(), unix.SIGURG); err != nil {
				t.Error(err)
				return
			}
			runtime.GC()
		}
	})
	for range 4 {
		c := newMatrix(rng, s.M, s.N, 0, 0)
		products.Go(func() {
			for range 100 {
				clear(c.x)
				runAMX(s, kernel.AVX512, 2, a, b, 0, c)
				if !slices.Equal(c.x, want.x) {
					t.Error("a signal changed a product")
					return
				}
			}
		})
	}
	products.Wait()
	done.Store(true)
	others.Wait()
}
