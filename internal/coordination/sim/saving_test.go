package sim

import (
	"bytes"
	"math"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestSavedReports checks checkpoints of an epoch under way in lockstep. A checkpoint has the sum of all residuals and
// a state, both at its position. The run must be bit for bit the same with checkpoints and without.
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

// TestSavedWithLag checks checkpoints of an epoch under way when workers run apart. Each step of the counted
// minibatches is in the checkpoint once: committed, pending or in a residual. No worker waits for the checkpoint.
func TestSavedWithLag(t *testing.T) {
	for seed := uint64(1); seed <= 20; seed++ {
		s := plain(5, 60)
		s.Epochs = 2
		s.Wire = Wire{Latency: 20 * time.Millisecond, Jitter: 30 * time.Millisecond}
		s.Config = coordination.Config{InFlight: 1 + int(seed%4), Lag: 4, Lead: 10, Min: 5,
			Mode: coordination.Mode(seed % 2), Fanout: 2}
		s.StepTime, s.Config.Checkpoint = 50*time.Millisecond, 100*time.Millisecond
		w := toyWorld(seed, s)
		w.after(0, func() { w.workerOf(2).pace = 3 })
		saves, ahead := 0, 0
		act := w.coord.act
		w.coord.act = func(n *node, a coordination.Action) {
			if save, ok := a.(coordination.Save); ok && save.Checkpoint.Open {
				saves++
				ahead += checkCut(t, w, save.Checkpoint)
			}
			act(n, a)
		}
		if _, err := w.run(); err != nil || w.ended != nil || saves < 5 || ahead == 0 {
			t.Fatalf("seed %d: %v, %v, %d checkpoints with %d pending updates", seed, err, w.ended, saves, ahead)
		}
	}
}

// checkCut compares a checkpoint with the steps of the minibatches that it counts, and returns how many of them were
// pending. It assumes that no worker was lost and nothing was clipped.
func checkCut(t *testing.T, w *World, k *coordination.Checkpoint) (pending int) {
	m, err := readModel(k.Params)
	if err != nil || k.Reports == nil {
		t.Fatalf("a checkpoint without reports: %v", err)
	}
	total := -math.Remainder(readFloat(k.Reports), residuals)
	for _, v := range m.params {
		total += float64(v)
	}
	for _, n := range w.nodes {
		r, is := n.replica.(*toy)
		if !is {
			continue
		}
		for _, s := range n.shares {
			next := k.Partitions[s.Partition].Next + r.ahead[s.Partition]
			pending += int(r.ahead[s.Partition])
			for at, v := range r.steps {
				if at[1] == s.Partition && (at[0] < k.Epoch || at[2] < next) {
					total += float64(v[0] + v[1] + v[2])
				}
			}
		}
	}
	if total != 0 {
		t.Errorf("seed %d: a checkpoint at position %d lacks %v of the steps that it counts", w.seed, k.Position, total)
	}
	return pending
}
