//go:build numa

package numa_test

import (
	"testing"

	"github.com/dl4go/dl4go/internal/numa"
	"github.com/dl4go/dl4go/internal/numa/numatest"
)

// TestNodesInterleave: memory that was written before lies on both nodes afterwards, in equal parts but for a strip.
func TestNodesInterleave(t *testing.T) {
	here := numa.Here()
	if len(here) != 2 {
		t.Fatal("nodes", here)
	}
	x := make([]float32, 4<<20) // 8 strips
	for i := range x {
		x[i] = float32(i)
	}
	before := numatest.Pages(t, x)
	if err := numa.Interleave(x, here); err != nil {
		t.Fatal(err)
	}
	if on := numatest.Pages(t, x); on[0]-on[1] < -512 || on[0]-on[1] > 512 {
		t.Errorf("pages by node %v, before %v", on, before)
	}
	for i := range x {
		if x[i] != float32(i) {
			t.Fatal("element", i, "has changed to", x[i])
		}
	}
}
