package paramavg

import (
	"fmt"
	"testing"

	"github.com/dl4go/dl4go/distributed"
)

// TestCutRounds checks that the last round of a run that ends after a number of minibatches is shorter on all workers,
// and that no example is lost.
func TestCutRounds(t *testing.T) {
	rounds := Rounds{{{0, 1, 2, 3}, {4, 5, 6, 7}}, {{8, 9, 10}, {11, 12}}}.schedule()
	for _, c := range []struct {
		left, done int
		want       string
	}{
		{0, 0, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{1, 0, "[[[0 1] [4 5]]] [2 3 6 7 8 9 10 11 12]"},
		{2, 0, "[[[0 1 2 3] [4 5 6 7]]] [8 9 10 11 12]"},
		{3, 0, "[[[0 1 2 3] [4 5 6 7]] [[8 9] [11 12]]] [10]"},
		{4, 0, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{1, 1, "[[[0 1 2 3] [4 5 6 7]] [[8 9] [11 12]]] [10]"},
		{2, 1, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{7, 2, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{7, 3, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"}, // refused later
		{7, -1, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
		{9, 0, "[[[0 1 2 3] [4 5 6 7]] [[8 9 10] [11 12]]] []"},
	} {
		trained, untrained := pass{distributed.Place{Done: c.done}, c.left}.cut(rounds, 2)
		var rest []int64
		for _, p := range untrained {
			rest = append(rest, rounds.order[p.From:p.To]...)
		}
		if got := fmt.Sprint(trained.list(), " ", rest); got != c.want {
			t.Errorf("%d minibatches after %d rounds: %s, want %s", c.left, c.done, got, c.want)
		}
	}
}
