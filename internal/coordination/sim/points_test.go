package sim

import (
	"fmt"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// small returns a run with every kind of message. It is short enough for a fault at each of its points.
func small(mode coordination.Mode) Scenario {
	return Scenario{
		Workers: 4, Minibatches: 3, Epochs: 2, Settle: true, Rounds: 2, Depth: 2,
		Config: coordination.Config{Mode: mode, Fanout: 1, InFlight: 2, Lag: 8, Statistics: 2,
			Checkpoint: 300 * time.Millisecond},
		Wire: Wire{Latency: 5 * time.Millisecond, Jitter: time.Millisecond}, StepTime: 40 * time.Millisecond,
		Join: 20 * time.Millisecond, Restart: 500 * time.Millisecond,
	}
}

// strikes are the faults that are injected at each point.
var strikes = []struct {
	name   string
	strike func(*World, *node)
}{
	{"killed", func(w *World, n *node) { w.kill(n, true); w.replace(n) }},
	{"gone without a word", func(w *World, n *node) { w.kill(n, false); w.replace(n) }},
	{"stopped", func(w *World, n *node) { w.freeze(n, coordination.DefaultTiming().Silence+5*time.Second) }},
	{"cut off", func(w *World, n *node) { n.cut = w.now + coordination.DefaultTiming().Silence + 5*time.Second }},
}

// TestEveryPoint injects faults into each worker at each of its events and after each resulting action. Thus a worker
// may die between sending and committing, while relaying, while joining, or while adding up. The test then injects
// faults into the coordinator at each event.
func TestEveryPoint(t *testing.T) {
	runs := 0
	for mode := coordination.Plain; mode <= coordination.Mesh; mode++ {
		for _, s := range strikes {
			for node := 1; node <= 4; node++ {
				for event, hit := 1, true; hit; event++ {
					for actions := range 3 {
						if actions > 0 && s.name != "killed" {
							break
						}
						var err error
						if hit, err = struckAt(mode, aim{node: node, event: event, actions: actions, strike: s.strike}); err != nil {
							t.Fatalf("mode %d, worker %d %s at event %d after %d actions: %v", mode, node, s.name, event, actions, err)
						}
						runs++
						if !hit {
							break
						}
					}
				}
			}
		}
		for event, hit := 1, true; hit; event += 3 {
			var err error
			a := aim{node: 0, event: event, strike: func(w *World, n *node) { driver{w}.restart() }}
			if hit, err = struckAt(mode, a); err != nil {
				t.Fatalf("mode %d, the coordinator restarted at event %d: %v", mode, event, err)
			}
			runs++
		}
	}
	t.Logf("%d runs", runs)
}

func struckAt(mode coordination.Mode, a aim) (hit bool, err error) {
	w := toyWorld(1, small(mode))
	w.aim = a
	w.faults++
	if _, err = w.run(); err == nil && w.ended != nil {
		err = fmt.Errorf("the run failed: %w", w.ended)
	}
	return w.aim.struck, err
}
