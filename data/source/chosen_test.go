package source

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestChosen: the numbers are those that were given, in their order, whether they are many or few, ascend or don't.
// Many that ascend take about a bit for each row.
func TestChosen(t *testing.T) {
	const rows = 100_000
	r := rand.New(rand.NewPCG(1, 2))
	drawn := func(share float64) (numbers []int) {
		for i := range rows {
			if r.Float64() < share {
				numbers = append(numbers, i)
			}
		}
		return numbers
	}
	few, many := drawn(0.01), drawn(0.8)
	late := append(slices.Clone(many), 5)
	for name, numbers := range map[string][]int{"none": nil, "few": few, "many": many, "the first": many[:1],
		"two ends": {0, rows - 1}, "the last half": drawn(1)[rows/2:], "all": drawn(1), "not ascending": late} {
		s := chosenOf(rows, len(numbers), slices.Values(numbers))
		for i, want := range numbers {
			if got := s.at(i); got != want {
				t.Fatalf("%s: number %d is %d, want %d", name, i, got, want)
			}
		}
		if s.n != len(numbers) {
			t.Errorf("%s: %d numbers, want %d", name, s.n, len(numbers))
		}
		bits := 32*len(s.list) + 64*len(s.words) + 32*len(s.before)
		if most := 32 * len(numbers); name != "not ascending" && bits > min(most, rows*11/10)+64 {
			t.Errorf("%s: %d numbers take %d bits", name, len(numbers), bits)
		}
	}
}
