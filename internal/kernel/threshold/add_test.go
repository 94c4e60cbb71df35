package threshold

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddTimes compares with sums in float64, rounded as the kernels must round.
func TestAddTimes(t *testing.T) {
	every(t, func(t *testing.T, k *Set, r *rand.Rand, n, offset int, limit float32, density float64) {
		all, x := guarded[float32](n, offset, 9)
		_, u := guarded[float32](n, 2*offset, 9)
		awkward(r, x, limit, density)
		awkward(r, u, limit, density)
		for _, times := range []float32{1, 0.3, -0x1p-120, 3e38, float32(math.NaN())} {
			want := slices.Clone(x)
			most := addTimesPortable(want, u, times)
			naive := float32(0)
			for i, v := range x {
				product := float64(times) * float64(u[i])
				if sum := v + float32(product); same(want[i:i+1], []float32{sum}) >= 0 {
					t.Fatalf("%g + %g·%g: %g, want %g", v, times, u[i], want[i], sum)
				}
				naive = max(naive, want[i], -want[i])
			}
			if same([]float32{most}, []float32{naive}) >= 0 {
				t.Fatalf("the largest is %g, want %g", most, naive)
			}
			kept := slices.Clone(u)
			if got := k.AddTimes(x, u, times); same([]float32{got}, []float32{most}) >= 0 {
				t.Fatalf("AddTimes of %d: the largest is %g, want %g", n, got, most)
			}
			if i := same(x, want); i >= 0 {
				t.Fatalf("AddTimes of %d, element %d: %g, want %g", n, i, x[i], want[i])
			}
			if same(u, kept) >= 0 {
				t.Fatal("AddTimes wrote to u")
			}
		}
		untouched(t, "AddTimes", all, n, offset, 9)
	})
}
