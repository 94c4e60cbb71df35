package engine

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/random"
)

// TestPiecesOfAnOrder checks that an assignment of pieces lists the rows of a known order.
func TestPiecesOfAnOrder(t *testing.T) {
	seed := uint64(3)
	known := random.Permutation(seed, 10)
	for _, c := range []struct {
		pieces []Piece
		want   []int
	}{
		{nil, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{[]Piece{{0, 4}, {4, 10}}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{[]Piece{{6, 10}, {2, 2}, {0, 6}}, []int{6, 7, 8, 9, 0, 1, 2, 3, 4, 5}},
	} {
		for _, s := range []*uint64{nil, &seed} {
			a := Assignment{Pieces: c.pieces, Seed: s, Ends: []int{3, 3, 10}}
			if err := a.Validate(); err != nil {
				t.Error(err)
			}
			got := slices.Collect(a.Listed().Partition(2))
			for k, place := range c.want[3:] {
				want := place
				if s != nil {
					want = known[place]
				}
				if got[k] != int64(want) {
					t.Errorf("%v of a permutation %v: row %d has index %d, want %d", c.pieces, s != nil, k+3, got[k], want)
				}
			}
		}
	}
	for _, pieces := range [][]Piece{{{0, 4}, {5, 10}}, {{0, 6}, {5, 10}}, {{0, 4}, {4, 9}},
		{{4, 2}, {4, 12}}, {{0, 4}, {4, 11}}, {}} {
		if (Assignment{Pieces: pieces, Ends: []int{10}}).Validate() == nil {
			t.Errorf("pieces %v of 10 rows are accepted", pieces)
		}
	}
}
