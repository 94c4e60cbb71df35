package parallel

import (
	"slices"
	"sync"
	"testing"
)

func TestShareIsTakenFromBothEnds(t *testing.T) {
	var s share
	s.set(3, 8)
	var got []int
	for range 2 {
		first, _ := s.first()
		last, _ := s.last()
		got = append(got, first, last)
	}
	only, ok := s.last()
	if got = append(got, only); !ok || !slices.Equal(got, []int{3, 7, 4, 6, 5}) {
		t.Error(got, ok)
	}
	if _, ok := s.first(); ok {
		t.Error("a part beyond the last")
	}
	if _, ok := s.last(); ok {
		t.Error("a part before the first")
	}
}

// TestShareIsTakenOnce: its owner and several others take each part once.
func TestShareIsTakenOnce(t *testing.T) {
	const n = 10000
	var s share
	s.set(0, n)
	taken := make([][]int, 4)
	var all sync.WaitGroup
	for w := range taken {
		take := s.last
		if w == 0 {
			take = s.first
		}
		all.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				taken[w] = append(taken[w], i)
			}
		})
	}
	all.Wait()
	got := slices.Concat(taken...)
	slices.Sort(got)
	if len(got) != n || got[0] != 0 || got[n-1] != n-1 || len(slices.Compact(got)) != n {
		t.Errorf("%d parts, or others", len(got))
	}
}
