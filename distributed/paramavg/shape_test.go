package paramavg

import (
	"reflect"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/random"
)

// TestAssignmentOfWorkers checks that a worker's partition has its shares, round by round, and that examples in no
// round have one more.
func TestAssignmentOfWorkers(t *testing.T) {
	rounds := Rounds{{{4, 1}, {0}, {7}}, {{2}, {5, 6}}}.schedule()
	rounds.order = append(rounds.order, 3)
	for slots, want := range map[int][]int{1: {7, 8}, 2: {6, 7, 8}, 3: {3, 6, 7, 8}} {
		a := rounds.shape(slots).assignment(rounds, []engine.Piece{{From: 7, To: 8}})
		if err := a.Validate(); err != nil || !slices.Equal(a.Ends, want) {
			t.Errorf("%d slots: partitions end at %v, want %v (%v)", slots, a.Ends, want, err)
		}
	}
	a := rounds.shape(2).assignment(rounds, nil)
	if want := []int64{4, 1, 0, 2, 5, 6, 7}; !slices.Equal(a.Order, want) {
		t.Errorf("the order is %v, want %v", a.Order, want)
	}
}

// TestSchedulesTakeNoMemory checks that the rounds and the assignment of a billion examples have no list of them, and
// that those of fewer examples are listed in the order of the seed.
func TestSchedulesTakeNoMemory(t *testing.T) {
	l := Layout{Partitions: []int{600_000_000, 400_000_000}, Workers: 3, Batch: 100_000, Frequency: 50, Seed: 5,
		Repartition: Always}
	s, err := ByIndex{}.schedule(l)
	if err != nil {
		t.Fatal(err)
	}
	trained, left := pass{left: 120}.cut(s, l.Batch)
	a := trained.shape(2).assignment(trained, left)
	if a.Order != nil || s.order != nil || a.Validate() != nil || a.Rows() != l.Examples() {
		t.Errorf("%d examples of %d are listed, %d assigned (%v)", len(a.Order), len(s.order), a.Rows(), a.Validate())
	}
	l.Partitions, l.Batch, l.Frequency = []int{301, 206}, 10, 4
	if s, err = (ByIndex{}).schedule(l); err != nil {
		t.Fatal(err)
	}
	order := random.Permutation(random.Mix(l.Seed, l.Epoch), l.Examples())
	got, place := s.shape(2).assignment(s, nil).Listed(), 0
	for w := range 2 {
		at := 0
		for _, round := range s.rounds {
			for share, p := range round {
				if owner := min(share/2, 1); owner == w {
					for k := p.From; k < p.To; k++ {
						if got.Index(place) != int64(order[k]) {
							t.Fatalf("worker %d: example %d is %d, want %d", w, at, got.Index(place), order[k])
						}
						place, at = place+1, at+1
					}
				}
			}
		}
	}
	if !reflect.DeepEqual(s.list().schedule().sizes(), s.sizes()) {
		t.Error("listed rounds have other sizes")
	}
}
