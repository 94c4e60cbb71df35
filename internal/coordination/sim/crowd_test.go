package sim

import (
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/campaign"
	"github.com/dl4go/dl4go/internal/coordination"
)

// TestCrowd injects many faults into a run with many workers, whose tree has three levels. Any relay may end.
func TestCrowd(t *testing.T) {
	workers, faults := campaign.Count(100, 200, 1000), campaign.Count(50, 100, 500)
	for seed := uint64(1); seed <= uint64(campaign.Count(1, 1, 2)); seed++ {
		s := Scenario{Workers: workers, Minibatches: 6, Epochs: 2, Settle: true, Rounds: 2, Depth: 2,
			Config:   coordination.Config{Mode: coordination.Mesh, Min: 1, Checkpoint: 5 * time.Second},
			Wire:     Wire{Latency: time.Millisecond, Jitter: time.Millisecond},
			StepTime: 500 * time.Millisecond, Join: 2 * time.Second, Restart: 2 * time.Second}
		w := toyWorld(seed, s)
		for range faults {
			w.after(w.upTo(12*time.Second), func() {
				if !w.over && !(w.restarts > 2 && w.random.Intn(2) == 0) {
					chaos{w}.disturb()
				}
			})
		}
		r, err := w.run()
		if err != nil || w.ended != nil {
			t.Fatalf("seed %d: %v, %v", seed, err, w.ended)
		}
		depth := 0
		for _, m := range w.machine.Members() {
			depth = max(depth, m.Depth)
		}
		t.Logf("%d workers: %+v; nothing moved for at most %v; the tree is %d deep", workers, r, r.Longest, depth)
	}
}
