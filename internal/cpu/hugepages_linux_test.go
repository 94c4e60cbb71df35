package cpu

import "testing"

func TestAskForHugePages(t *testing.T) {
	const page = 2 << 20 / 4
	x := make([]float32, 5*page)
	for i := range x {
		x[i] = float32(i)
	}
	for _, n := range []int{0, 1, 2*page - 1, 2 * page, 3*page + 7} {
		for _, from := range []int{0, 1, page} {
			askForHugePages(x[from : from+n])
		}
	}
	for i, v := range x {
		if v != float32(i) {
			t.Fatalf("element %d became %g", i, v)
		}
	}
}
