package paramavg

import (
	"reflect"
	"testing"
)

// TestAssignmentKeepsRounds checks that an epoch's examples are one list in memory, and that the workers' partitions
// and the rounds are slices of it.
func TestAssignmentKeepsRounds(t *testing.T) {
	l := Layout{Partitions: []int{301, 206}, Workers: 3, Batch: 10, Frequency: 4, Seed: 5, Repartition: Always}
	rounds, err := ByIndex{}.Split(l)
	if err != nil {
		t.Fatal(err)
	}
	for _, slots := range []int{1, 2, 3} {
		a, same := rounds.shape(slots).assignment(rounds)
		if err := a.Validate(); err != nil || len(a.Ends) != slots {
			t.Errorf("%d slots: %d partitions, %v", slots, len(a.Ends), err)
		}
		if !reflect.DeepEqual(same, rounds) {
			t.Errorf("%d slots: the rounds are others", slots)
		}
		at := make(map[int64]*int64)
		for i, index := range a.Order {
			at[index] = &a.Order[i]
		}
		for r, round := range same {
			for place, share := range round {
				if at[share[0]] != &share[0] || at[share[len(share)-1]] != &share[len(share)-1] {
					t.Errorf("%d slots: share %d of round %d has memory of its own", slots, place, r)
				}
			}
		}
	}
	if _, same := (Rounds{{{0}}}).shape(1).assignment(Rounds{{{0}}}); !reflect.DeepEqual(same, Rounds{{{0}}}) {
		t.Errorf("one example: %v", same)
	}
}
