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

// BenchmarkBF16 multiplies matrices by the best kernels, in float32 and in bfloat16. It reports the speed of the
// fastest round, on one thread and on two.
func BenchmarkBF16(b *testing.B) {
	type product interface {
		Workspace(int) int
		Run(*parallel.Pool, float32, []float32, int, []float32, int, float32, []float32, int, []float32)
	}
	kinds := []string{"float32", "pairs", "amx"}
	plan := map[string]func(gemm.Shape) product{
		"float32": func(s gemm.Shape) product { return gemm.New(kernel.Best(), s) },
		"pairs":   func(s gemm.Shape) product { return gemm.NewBF16(kernel.Best(), s) },
		"amx":     func(s gemm.Shape) product { return gemm.NewAMX(kernel.Best(), s) },
	}
	if !kernel.HasAMX() {
		kinds = kinds[:2]
	}
	for _, s := range []gemm.Shape{{M: 1024, N: 1024, K: 1024}, {M: 64, N: 500, K: 784, TransB: true},
		{M: 64, N: 784, K: 500}, {M: 784, N: 500, K: 64, TransA: true}, {M: 500, N: 784, K: 64, TransA: true},
		{M: 64, N: 10, K: 500, TransB: true}, {M: 64, N: 4200, K: 5000, TransB: true}, {M: 1, N: 500, K: 784},
		{M: 2048, N: 2048, K: 2048}, {M: 512, N: 512, K: 64, TransB: true, Batch: 8, StrideA: 512 * 64, StrideB: 512 * 64,
			StrideC: 512 * 512}} {
		batch := max(1, s.Batch)
		x, y, z := make([]float32, batch*s.M*s.K), make([]float32, batch*s.K*s.N), make([]float32, batch*s.M*s.N)
		lda, ldb := s.K, s.N
		name := fmt.Sprintf("%dx%dx%d", s.M, s.N, s.K)
		if s.TransA {
			lda = s.M
			name += "TA"
		}
		if s.TransB {
			ldb = s.K
			name += "TB"
		}
		for _, threads := range []int{1, 2} {
			for _, kind := range kinds {
				b.Run(fmt.Sprintf("%s/%d/%s", name, threads, kind), func(b *testing.B) {
					pool := parallel.New(threads)
					defer pool.Close()
					p := plan[kind](s)
					work := make([]float32, p.Workspace(threads))
					best := time.Hour
					for b.Loop() {
						start := time.Now()
						p.Run(pool, 1, x, lda, y, ldb, 0, z, s.N, work)
						best = min(best, time.Since(start))
					}
					b.ReportMetric(2*float64(batch*s.M*s.N*s.K)/float64(best.Nanoseconds()), "GFLOP/s")
				})
			}
		}
	}
}
