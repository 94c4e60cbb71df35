package sim

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// BenchmarkUpdate measures the time of the machines and the simulator for an update that is sent, committed, and
// applied by two or by 32 workers.
func BenchmarkUpdate(b *testing.B) {
	for _, workers := range []int{2, 32} {
		b.Run(map[int]string{2: "2workers", 32: "32workers"}[workers], func(b *testing.B) {
			b.ReportAllocs()
			steps := max(8, b.N/workers)
			if _, err := Measure(Load{Workers: workers, Mode: coordination.Plain, StepTime: time.Millisecond,
				MessageBytes: 700, Steps: steps, Wire: Wire{Latency: 50 * time.Microsecond, Bandwidth: 1e10}}); err != nil {
				b.Fatal(err)
			}
		})
	}
}
