package sim

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// BenchmarkUpdate is what the machines, and the simulator, take for an update: sent, committed, and applied by two
// workers and by 32.
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
