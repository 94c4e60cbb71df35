package train

import (
	"strings"
	"testing"
	"time"
)

// TestPerformance: the time of steps is measured by a fake clock, across epochs and without the time between epochs.
func TestPerformance(t *testing.T) {
	at := time.Unix(0, 0)
	var told []Speed
	p := &Performance{Every: 2, Told: func(s Speed) { told = append(told, s) }, now: func() time.Time { return at }}
	scores := &CollectScores{Every: 2}
	hear := Tell(p, scores)
	hear(EpochBegan{0, 2, 100})
	for i := range 3 {
		at = at.Add(time.Second)
		hear(Step{Iteration: 105 + 5*i, Examples: 80, Score: float64(i)})
	}
	at = at.Add(time.Hour) // scoring
	hear(EpochEnded{Iteration: 115})
	hear(EpochBegan{1, 2, 115})
	at = at.Add(time.Second)
	hear(Step{Iteration: 117, Examples: 20, Score: 3})
	want := []Speed{
		{Iteration: 110, Score: 1, Examples: 160, Iterations: 10, Duration: 2 * time.Second, ExamplesPerSecond: 80,
			IterationsPerSecond: 5},
		{Iteration: 117, Score: 3, Examples: 100, Iterations: 7, Duration: 2 * time.Second, ExamplesPerSecond: 50,
			IterationsPerSecond: 3.5},
	}
	if len(told) != 2 || told[0] != want[0] || told[1] != want[1] {
		t.Errorf("told %+v, want %+v", told, want)
	}
	var b strings.Builder
	if err := scores.Write(&b); err != nil || b.String() != "Iteration,Score\n105,0\n115,2\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
