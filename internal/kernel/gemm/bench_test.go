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

// BenchmarkBF16 multiplies matrices by the best kernels, in float32 and in bfloat16.
func BenchmarkBF16(b *testing.B) {
	for _, s := range []gemm.Shape{{M: 1024, N: 1024, K: 1024}, {M: 64, N: 500, K: 784, TransB: true},
		{M: 784, N: 500, K: 64, TransA: true}, {M: 2048, N: 2048, K: 2048}} {
		pool := parallel.New(1)
		x, y, z := make([]float32, s.M*s.K), make([]float32, s.K*s.N), make([]float32, s.M*s.N)
		lda, ldb := s.K, s.N
		if s.TransA {
			lda = s.M
		}
		if s.TransB {
			ldb = s.K
		}
		for name, p := range map[string]interface {
			Workspace(int) int
			Run(*parallel.Pool, float32, []float32, int, []float32, int, float32, []float32, int, []float32)
		}{"float32": gemm.New(kernel.Best(), s), "bf16": gemm.NewBF16(kernel.Best(), s)} {
			b.Run(fmt.Sprintf("%dx%dx%d/%s", s.M, s.K, s.N, name), func(b *testing.B) {
				work := make([]float32, p.Workspace(1))
				for range b.N {
					p.Run(pool, 1, x, lda, y, ldb, 0, z, s.N, work)
				}
				b.ReportMetric(2*float64(s.M*s.N*s.K)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
			})
		}
		pool.Close()
	}
}
