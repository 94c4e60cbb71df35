package sim

import (
	"bytes"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestWholeReleases checks that in lockstep each step begins with all updates of the step before. The result must be
// bit for bit the same whether one message has the release, or each entry comes in a message of its own, large and
// slowly.
func TestWholeReleases(t *testing.T) {
	for mode := coordination.Plain; mode <= coordination.Mesh; mode++ {
		for seed := uint64(1); seed <= 5; seed++ {
			s := plain(5, 30)
			s.Epochs = 2
			s.Config = coordination.Config{Lockstep: true, InFlight: 1, Min: 5, Mode: mode, Fanout: 2, Constrained: seed%2 == 0}
			want := lockstep(t, seed, s)
			s.Padding, s.Measure, s.Config.Batch = 3000, true, 1
			s.Wire = Wire{Latency: time.Millisecond, Jitter: 30 * time.Millisecond, Bandwidth: 2e5}
			if got := lockstep(t, seed, s); !bytes.Equal(got, want) {
				t.Errorf("mode %d, seed %d: large payloads lead to %v, small ones to %v", mode, seed, got, want)
			}
		}
	}
}

// lockstep runs a scenario, checks the parameters at the start of each step, and returns the final parameters.
func lockstep(t *testing.T, seed uint64, s Scenario) []byte {
	w := toyWorld(seed, s)
	w.began = func(n *node) {
		if at := n.replica.(*toy).model; at.count != uint64(len(w.history)) {
			t.Fatalf("seed %d: worker %d begins a step with %d updates, %d are committed", seed, n.shares[0].Partition,
				at.count, len(w.history))
		}
	}
	if _, err := w.run(); err != nil || w.ended != nil {
		t.Fatalf("seed %d: %v, %v", seed, err, w.ended)
	}
	params, err := w.ref.Params()
	if err != nil {
		t.Fatal(err)
	}
	return params
}
