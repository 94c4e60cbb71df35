package weights

import (
	"testing"

	"github.com/dl4go/dl4go/internal/random"
)

// TestSource: the numbers never change from version to version, and drawing them allocates nothing.
func TestSource(t *testing.T) {
	got, want := NewSource(7), random.NewSource(7)
	draw := func() bool {
		return got.Uint64() == want.Uint64() && got.Float64() == want.Float64() && got.Intn(9) == want.Intn(9) &&
			got.Normal() == want.Normal()
	}
	if n := testing.AllocsPerRun(100, func() {
		if !draw() {
			t.Fatal("other numbers")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
	var zero Source
	if zero.Uint64() != NewSource(0).Uint64() {
		t.Error("the zero value is not the source of seed 0")
	}
}
