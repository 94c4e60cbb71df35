package threshold

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/kernel"
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

// TestCountMarks puts a sign without a value, or with one, at each place.
func TestCountMarks(t *testing.T) {
	for _, v := range kernel.Available() {
		k, r := For(v), rand.New(rand.NewPCG(1, 2))
		for n := range 40 {
			_, words := guarded[uint32](n, n%3, 1<<31)
			values := 0
			for i := range words {
				low := r.Uint32() & r.Uint32() & 0xffff
				words[i] = low | low&r.Uint32()<<16
				values += bits.OnesCount32(low)
			}
			if got, alone := k.CountMarks(words); got != values || alone {
				t.Fatalf("%v: %d words have %d values, %v; want %d", v, n, got, alone, values)
			}
			for i, w := range words {
				for j := range 16 {
					words[i] = w | 0x10000<<j
					if got, alone := k.CountMarks(words); got != values || alone != (w>>j&1 == 0) {
						t.Fatalf("%v: a sign at %d of word %d of %d: %d values, %v", v, j, i, n, got, alone)
					}
				}
				words[i] = w
			}
		}
	}
}
