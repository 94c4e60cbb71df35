package paramavg

import (
	"reflect"
	"slices"
	"testing"
)

// TestAssignmentOfWorkers checks that a worker's partition has its shares, round by round, and that examples in no
// round have one more.
func TestAssignmentOfWorkers(t *testing.T) {
	rounds := Rounds{{{4, 1}, {0}, {7}}, {{2}, {5, 6}}}
	for slots, want := range map[int][]int{1: {7, 8}, 2: {6, 7, 8}, 3: {3, 6, 7, 8}} {
		a := rounds.shape(slots).assignment(rounds, []int64{3})
		if err := a.Validate(); err != nil || !slices.Equal(a.Ends, want) {
			t.Errorf("%d slots: partitions end at %v, want %v (%v)", slots, a.Ends, want, err)
		}
	}
	a := rounds.shape(2).assignment(rounds, nil)
	if want := []int64{4, 1, 0, 2, 5, 6, 7}; !slices.Equal(a.Order, want) {
		t.Errorf("the order is %v, want %v", a.Order, want)
	}
}

// TestTakeForgets checks that a course forgets the orders that it can make again, and makes them equal, also of a pass
// that ends early. It keeps those of another splitter.
func TestTakeForgets(t *testing.T) {
	l := Layout{Partitions: []int{301, 206}, Workers: 3, Batch: 10, Frequency: 4, Seed: 5, Repartition: Always}
	for _, left := range []int{0, 11} {
		of := pass{left: left}
		all, err := ByIndex{}.Split(l)
		if err != nil {
			t.Fatal(err)
		}
		rounds, untrained := of.cut(all, l.Batch)
		for _, by := range []Splitter{ByIndex{}, &replay{}} {
			c := &course{master: &TrainingMaster{opts: Options{Splitter: by}}, layout: l, rounds: rounds, left: untrained,
				pass: of}
			for range 2 {
				got, rest, err := c.take()
				if err != nil || !reflect.DeepEqual(got, rounds) || !slices.Equal(rest, untrained) {
					t.Errorf("of %d minibatches: %d rounds, and %d examples in none (%v)", left, len(got), len(rest), err)
				}
				if _, forgets := by.(ByIndex); forgets == (c.rounds != nil) {
					t.Errorf("with %T, the rounds that are kept are %d", by, len(c.rounds))
				}
			}
		}
	}
}
