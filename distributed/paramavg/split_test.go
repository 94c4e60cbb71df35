package paramavg

import (
	"fmt"
	"slices"
	"testing"
)

func layout(workers int, partitions ...int) Layout {
	return Layout{Partitions: partitions, Workers: workers, Batch: 4, Frequency: 3, Seed: 7, Repartition: Always,
		Strategy: Balanced}
}

// TestEveryExampleOnce checks that no way of splitting loses an example or uses one twice, and that Sizes gives the
// same rounds.
func TestEveryExampleOnce(t *testing.T) {
	for _, partitions := range [][]int{{1}, {5, 0, 2}, {24, 24}, {97, 3, 50}, {11, 12, 13, 14}} {
		for workers := 1; workers <= 4; workers++ {
			for _, r := range []Repartition{Always, Never, NumPartitionsWorkersDiffers} {
				for _, s := range []Strategy{Balanced, SparkDefault, ApproximateBalanced} {
					l := layout(workers, partitions...)
					l.Repartition, l.Strategy = r, s
					rounds, err := (ByIndex{}).Split(l)
					if err != nil {
						if l.Examples() >= workers {
							t.Errorf("%v: %v", l, err)
						}
						continue
					}
					listed := rounds.schedule()
					a := listed.assignment(nil)
					if len(a.Order) != l.Examples() || a.Validate() != nil {
						t.Errorf("%v: %d examples are assigned: %v", l, len(a.Order), a.Validate())
					}
					if sizes, err := (ByIndex{}).Sizes(l); err != nil || fmt.Sprint(sizes) != fmt.Sprint(listed.sizes()) {
						t.Errorf("%v: sizes %v (%v), want %v", l, sizes, err, listed.sizes())
					}
				}
			}
		}
	}
}

func TestBalancedSplits(t *testing.T) {
	rounds, err := (ByIndex{}).Split(layout(2, 60))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []string
	for _, r := range rounds {
		sizes = append(sizes, fmt.Sprint(len(r[0]), "+", len(r[1])))
	}
	if want := []string{"12+12", "12+12", "6+6"}; !slices.Equal(sizes, want) {
		t.Errorf("rounds of %v, want %v: a short last split is divided equally", sizes, want)
	}
	if p := rounds.schedule().partition(2); p != 4 {
		t.Errorf("the third round begins at partition %d, want 4", p)
	}
}

func TestPermutationChangesWithTheEpochAndTheSeed(t *testing.T) {
	first := Permutation(1, 0, 100)
	if slices.Equal(first, Permutation(1, 1, 100)) || slices.Equal(first, Permutation(2, 0, 100)) {
		t.Error("two epochs, or two seeds, have one order")
	}
	if !slices.Equal(first, Permutation(1, 0, 100)) {
		t.Error("one seed and epoch have two orders")
	}
}

func TestNeverKeepsPartitionsAndOrder(t *testing.T) {
	l := layout(2, 14, 5)
	l.Repartition = Never
	rounds, _ := (ByIndex{}).Split(l)
	want := Rounds{{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {14, 15, 16, 17, 18}}, {{12, 13}}}
	if fmt.Sprint(rounds) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", rounds, want)
	}
}

func TestMoreWorkersThanExamples(t *testing.T) {
	if _, err := (ByIndex{}).Split(layout(4, 3)); err == nil {
		t.Error("4 workers took 3 examples")
	}
	if _, err := (ByIndex{}).Sizes(layout(4, 3)); err == nil {
		t.Error("4 workers have shares of 3 examples")
	}
	if _, err := (ByIndex{}).Split(layout(1, 0, 0)); err == nil {
		t.Error("an empty data set was split")
	}
}
