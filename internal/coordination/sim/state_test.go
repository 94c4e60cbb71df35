package sim

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestStateOfSlowWorkers checks runs whose steps take longer than the time after which a state is asked of another
// worker. Replacements and checkpoints must still get the states of workers, not the initial one.
func TestStateOfSlowWorkers(t *testing.T) {
	for seed := uint64(1); seed <= 10; seed++ {
		s := plain(3, 12)
		s.StepTime = 3 * coordination.DefaultTiming().State
		s.Config.Checkpoint = time.Minute
		w := toyWorld(seed, s)
		saves, joined := 0, 0
		act := w.coord.act
		w.coord.act = func(n *node, a coordination.Action) {
			if save, ok := a.(coordination.Save); ok {
				if saves++; steps(save.Checkpoint.State) == 0 {
					t.Errorf("seed %d: at %v a checkpoint has the state of the beginning", seed, w.now)
				}
			}
			act(n, a)
		}
		w.began = func(n *node) {
			if r := n.replica.(*toy); n.born > time.Minute && r.installs == 1 {
				if joined++; r.state <= 1 { // its own step counts
					t.Errorf("seed %d: at %v a replacement begins with the state of the beginning", seed, w.now)
				}
				r.installs++
			}
		}
		w.after(3*time.Minute, func() { n := w.workerOf(1); w.kill(n, true); w.replace(n) })
		if _, err := w.run(); err != nil || w.ended != nil || saves < 2 || joined != 1 {
			t.Errorf("seed %d: %v, %v, %d checkpoints, %d replacements", seed, err, w.ended, saves, joined)
		}
	}
}

// state returns the state in the last checkpoint.
func (w *World) state() []byte {
	k, err := coordination.ReadCheckpoint(w.saved.checkpoint, jobID)
	if err != nil {
		return nil
	}
	return k.State
}

// steps returns the number of steps in an updater's state.
func steps(state []byte) uint64 {
	if state == nil {
		return 0
	}
	return binary.LittleEndian.Uint64(state)
}
