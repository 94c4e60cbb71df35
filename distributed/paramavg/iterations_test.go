package paramavg

import (
	"fmt"
	"testing"
)

// TestCutRounds: the last round of a run of so many iterations is shorter, on all workers; no example is lost.
func TestCutRounds(t *testing.T) {
	rounds := Rounds{{{0, 1, 2, 3}, {4, 5, 6, 7}}, {{8, 9, 10}, {11, 12}}}
	for _, c := range []struct {
		iterations int
		want       string
	}{
		{0, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{1, "[[[0 1] [4 5]]] [2 3 6 7 8 9 10 11 12]"},
		{2, "[[[0 1 2 3] [4 5 6 7]]] [8 9 10 11 12]"},
		{3, "[[[0 1 2 3] [4 5 6 7]] [[8 9] [11 12]]] [10]"},
		{4, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{9, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
	} {
		trained, untrained := pass{iterations: c.iterations}.cut(rounds, 2)
		if got := fmt.Sprint(trained, " ", untrained); got != c.want {
			t.Errorf("%d iterations: %s, want %s", c.iterations, got, c.want)
		}
	}
}
