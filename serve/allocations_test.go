//go:build !race

package serve

import (
	"testing"

	"github.com/dl4go/dl4go/internal/allocs"
)

// The race detector has pools drop what they keep, at random: then calls allocate.

// TestAllocations: a call allocates the answer and nothing else: a list with an array and its shape, and the data.
func TestAllocations(t *testing.T) {
	net := regression(t)
	scaled(t, net, numbers(50, 3), numbers(50, 2))
	p := predictor(t, net, Options{Concurrency: 1})
	for _, rows := range []int{1, 7, 64} {
		x := numbers(rows, 3)
		n := allocs.PerRun(100, func() {
			if _, err := p.Predict(t.Context(), x); err != nil {
				t.Fatal(err)
			}
		})
		if n > 2 {
			t.Errorf("%d examples: %v allocations a call, at most 2 are the answer", rows, n)
		}
	}
}
