package gemm_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm"
	"github.com/dl4go/dl4go/internal/parallel"
)

// BenchmarkGemm reports the speed of the fastest round, on one thread and on two.
func BenchmarkGemm(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, v := range kernel.Available()[1:] {
		for _, s := range []gemm.Shape{
			{M: 1024, N: 1024, K: 1024},
			{M: 64, N: 500, K: 784, TransB: true},
			{M: 64, N: 500, K: 784},
			{M: 500, N: 784, K: 64, TransA: true},
			{M: 784, N: 500, K: 64, TransA: true},
			{M: 64, N: 784, K: 500},
			{M: 64, N: 10, K: 500, TransB: true},
			{M: 64, N: 10, K: 500},
			{M: 10, N: 500, K: 64, TransA: true},
			{M: 64, N: 500, K: 10},
			{M: 64, N: 500, K: 800, TransB: true},
			{M: 64, N: 4200, K: 5000, TransB: true},
			{M: 1, N: 500, K: 784, TransB: true},
			{M: 1, N: 500, K: 784},
		} {
			name := fmt.Sprintf("%v/%dx%dx%d", v, s.M, s.N, s.K)
			if s.TransA {
				name += "TA"
			}
			if s.TransB {
				name += "TB"
			}
			for _, threads := range []int{1, 2} {
				b.Run(fmt.Sprintf("%s/%d", name, threads), func(b *testing.B) {
					pool := parallel.New(threads)
					defer pool.Close()
					x, y := operand(rng, s.M, s.K, s.TransA, 0, 0), operand(rng, s.K, s.N, s.TransB, 0, 0)
					c := newMatrix(rng, s.M, s.N, 0, 0)
					p := gemm.New(v, s)
					work := make([]float32, p.Workspace(threads))
					best := time.Hour
					for b.Loop() {
						start := time.Now()
						p.Run(pool, 1, x.x, x.ld, y.x, y.ld, 0, c.x, c.ld, work)
						best = min(best, time.Since(start))
					}
					b.ReportMetric(2*float64(s.M)*float64(s.N)*float64(s.K)/float64(best.Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}
