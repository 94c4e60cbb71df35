package conv_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/kernel/conv"
	"github.com/dl4go/dl4go/internal/parallel"
)

// BenchmarkConv reports the speed of the fastest round, on one thread and on two.
func BenchmarkConv(b *testing.B) {
	for _, v := range kinds()[1:] {
		for _, c := range []struct {
			name string
			g    conv.Geometry
		}{
			{"lenet1", conv.Geometry{64, 1, 28, 28, 20, 5, 5, 1, 1, 1, 1, 0, 0, 24, 24}},
			{"lenet2", conv.Geometry{64, 20, 12, 12, 50, 5, 5, 1, 1, 1, 1, 0, 0, 8, 8}},
			{"resnet3x3", conv.Geometry{32, 64, 32, 32, 64, 3, 3, 1, 1, 1, 1, 1, 1, 32, 32}},
			{"resnet3x3s2", conv.Geometry{32, 64, 32, 32, 128, 3, 3, 2, 2, 1, 1, 1, 1, 16, 16}},
			{"pointwise", conv.Geometry{32, 256, 14, 14, 64, 1, 1, 1, 1, 1, 1, 0, 0, 14, 14}},
		} {
			d := newData(c.g)
			y, dx, dw := make([]float32, len(d.dy)), make([]float32, len(d.x)), make([]float32, len(d.w))
			p, packing := v.plan(c.g), v.plan(c.g)
			packed := make([]float32, max(len(d.w), packing.PackedSize()))
			copy(packed, d.w)
			if packing.PackedSize() > 0 {
				packing.ReadPacked()
				packing.Pack(packed, d.w)
			}
			for _, threads := range []int{1, 2} {
				work := make([]float32, max(p.Workspace(threads), packing.Workspace(threads)))
				pool := parallel.New(threads)
				for _, what := range []string{"forward", "packed", "input", "filter"} {
					b.Run(fmt.Sprintf("%v/%s/%s/%d", v, c.name, what, threads), func(b *testing.B) {
						best := time.Hour
						for b.Loop() {
							start := time.Now()
							switch what {
							case "forward":
								p.Forward(pool, d.x, d.w, d.bias, y, work)
							case "packed":
								packing.Forward(pool, d.x, packed, d.bias, y, work)
							case "input":
								p.GradInput(pool, d.dy, d.w, dx, work)
							default:
								p.GradFilter(pool, d.x, d.dy, dw, work)
							}
							best = min(best, time.Since(start))
						}
						flops := 2 * float64(len(d.dy)) * float64(c.g.InC*c.g.KH*c.g.KW)
						b.ReportMetric(flops/float64(best.Nanoseconds()), "GFLOP/s")
					})
				}
				pool.Close()
			}
		}
	}
}
