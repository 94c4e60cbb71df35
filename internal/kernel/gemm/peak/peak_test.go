package peak_test

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/kernel"
	"github.com/dl4go/dl4go/internal/kernel/gemm/peak"
)

// BenchmarkPeak reports the maximum floating-point operations per second of one thread, with each variant.
func BenchmarkPeak(b *testing.B) {
	for _, v := range kernel.Available() {
		b.Run(v.String(), func(b *testing.B) {
			best := 0.0
			for b.Loop() {
				start := time.Now()
				flops := peak.Run(v, 100_000)
				best = max(best, float64(flops)/float64(time.Since(start).Nanoseconds()))
			}
			b.ReportMetric(best, "GFLOP/s")
		})
	}
}
