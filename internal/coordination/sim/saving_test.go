package sim

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestSavedReports: in lockstep a checkpoint of an epoch under way has the sum of all residuals as they are at its
// position, and a state of that position; and a run is the same to the bit with checkpoints and without.
func TestSavedReports(t *testing.T) {
	for mode := coordination.Plain; mode <= coordination.Mesh; mode++ {
		for seed := uint64(1); seed <= 5; seed++ {
			s := plain(5, 40)
			s.Config = coordination.Config{Lockstep: true, InFlight: 1, Min: 5, Mode: mode, Fanout: 2, Constrained: seed%2 == 0}
			without := lockstep(t, seed, s)
			if seed > 3 { // each entry comes in a message of its own
				s.Padding, s.Measure, s.Config.Batch = 3000, true, 1
			}
			s.Config.Checkpoint = 50 * time.Millisecond
			w := toyWorld(seed, s)
			saves := 0
			act := w.coord.act
			w.coord.act = func(n *node, a coordination.Action) {
				if save, ok := a.(coordination.Save); ok && save.Checkpoint.Open {
					saves++
					want := 0.0
					for _, n := range w.nodes {
						if r, is := n.replica.(*toy); is {
							want += r.reported
						}
					}
					k := save.Checkpoint
					if k.Reports == nil || math.Remainder(readFloat(k.Reports), residuals) != want {
						t.Errorf("mode %d, seed %d: a checkpoint's reports are %v, the residuals %v", mode, seed, k.Reports, want)
					}
					if got := steps(k.State); got != uint64(k.Partitions[0].Next) {
						t.Errorf("mode %d, seed %d: a checkpoint after step %d has the state of step %d", mode, seed,
							k.Partitions[0].Next, got)
					}
				}
				act(n, a)
			}
			if _, err := w.run(); err != nil || w.ended != nil || saves < 2 {
				t.Fatalf("mode %d, seed %d: %v, %v, %d checkpoints", mode, seed, err, w.ended, saves)
			}
			with, err := w.ref.Params()
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(with, without) {
				t.Errorf("mode %d, seed %d: with checkpoints %v, without %v", mode, seed, with, without)
			}
		}
	}
}
