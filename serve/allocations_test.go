//go:build !race

package serve

import (
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
)

// The race detector has pools drop what they keep, at random: then calls allocate.

// TestAllocations: a call only allocates the answer: a list with an array, its shape and, for a short answer, its
// numbers. The numbers of a longer answer are one more allocation.
func TestAllocations(t *testing.T) {
	net := regression(t)
	scaled(t, net, numbers(50, 3), numbers(50, 2))
	p := predictor(t, net, Options{Concurrency: 1})
	for rows, most := range map[int]float64{1: 1, 7: 1, 64: 2} {
		x := numbers(rows, 3)
		n := allocs.PerRun(100, func() {
			if _, err := p.Predict(t.Context(), x); err != nil {
				t.Fatal(err)
			}
		})
		if n > most {
			t.Errorf("%d examples: %v allocations a call, at most %v are the answer", rows, n, most)
		}
	}
}
