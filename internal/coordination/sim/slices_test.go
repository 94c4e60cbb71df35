package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestBytesOfSlicedRounds checks that a worker sends and receives 2·(N−1)/N results in a round, and that the
// coordinator only sends the first start and receives the last result.
func TestBytesOfSlicedRounds(t *testing.T) {
	const rounds, size = 8, 1 << 20
	for _, workers := range []int{2, 4, 8} {
		s := Scenario{Workers: workers, Rounds: rounds, Depth: 2, Sliced: true, Measure: true,
			Wire: Wire{Latency: time.Millisecond, Bandwidth: 1e9}, StepTime: 100 * time.Millisecond,
			Config: coordination.Config{Min: workers, Timing: patient()}, Join: 10 * time.Millisecond}
		w := newWorld(1, s, func(*World) numbers { return newWeight(size) }, nil)
		w.unchecked, w.trace.off = true, true
		if _, err := w.run(); err != nil {
			t.Fatal(err)
		}
		about := func(who, what string, bytes, results float64) {
			if got := bytes / size; got < results || got > results+0.02 {
				t.Errorf("%d workers: the %s %s %.3f results, want %.3f", workers, who, what, got, results)
			}
		}
		n := float64(workers)
		each := rounds * 2 * (n - 1) / n
		for _, of := range w.nodes {
			switch {
			case of == w.coord:
				about("coordinator", "sent", of.sent, n)
				about("coordinator", "received", of.received, 1)
			case of.shares[0].Partition == 0:
				about("first worker", "sent", of.sent, each+1)
				about("first worker", "received", of.received, each+1)
			default:
				about("other worker", "sent", of.sent, each)
				about("other worker", "received", of.received, each+1)
			}
		}
	}
}

// TestEveryPointOfSlicedRounds injects faults into a worker at each of its events and after each resulting action:
// while it trains, adds up its slice, or holds the only copies of a sum together with the others. The driver repeats
// rounds, and the results are the same.
func TestEveryPointOfSlicedRounds(t *testing.T) {
	runs := 0
	for _, s := range strikes {
		for node := 1; node <= 3; node++ {
			for event, hit := 1, true; hit; event++ {
				for actions := range 3 {
					if actions > 0 && s.name != "killed" {
						break
					}
					w := toyWorld(1, Scenario{Workers: 3, Rounds: 4, Depth: 2, Sliced: true, Every: 3,
						Config:   coordination.Config{Min: 3},
						Wire:     Wire{Latency: 5 * time.Millisecond, Jitter: time.Millisecond},
						StepTime: 40 * time.Millisecond, Join: 20 * time.Millisecond, Restart: 500 * time.Millisecond})
					w.aim = aim{node: node, event: event, actions: actions, strike: s.strike}
					w.faults++
					_, err := w.run()
					if err == nil && w.ended != nil {
						err = fmt.Errorf("the run failed: %w", w.ended)
					}
					if err != nil {
						t.Fatalf("worker %d %s at event %d after %d actions: %v", node, s.name, event, actions, err)
					}
					runs++
					if hit = w.aim.struck; !hit {
						break
					}
				}
			}
		}
	}
	t.Logf("%d runs", runs)
}
