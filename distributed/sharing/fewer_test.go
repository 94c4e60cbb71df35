package sharing

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
)

// TestResumeFewer interrupts an epoch of three workers. Two workers continue it, then one, then three again. Each must
// train the partitions that it holds. Minibatches that are committed in a checkpoint must not be trained again.
func TestResumeFewer(t *testing.T) {
	const examples = 1497
	c := config()
	c.RNGSeed, c.DebugLongerIterations = 3, 50
	net := network(t, "cnn", 3)
	var at *distributed.Place
	minibatches := 0
	for _, on := range []string{"local[3]", "local[2]", "processes[1]"} {
		ctx, stop := context.WithCancelCause(t.Context())
		s := &stopping{after: 1, beyond: 5, stop: stop}
		m := master(t, c, Options{Checkpoints: s})
		if at != nil {
			s.beyond = at.Done
			m.Resume(*at)
		}
		if err := m.Fit(ctx, net, spread(t, open(t, on), 0), nil); !errors.Is(err, errStopped) {
			t.Fatalf("on %s the fit ended with %v before a checkpoint", on, err)
		}
		stop(nil)
		if minibatches = 0; len(m.ready.ends) != 3 {
			t.Fatalf("on %s the epoch has %d partitions", on, len(m.ready.ends))
		}
		for _, n := range (&run{master: m}).minibatches() {
			minibatches += n
		}
		at, net = &s.last.Place, again(t, "cnn", s.last)
	}
	for _, on := range []string{"local[1]", "local[3]"} {
		c.DebugLongerIterations = 0
		m := master(t, c, Options{})
		m.Resume(*at)
		last := again(t, "cnn", distributed.Checkpoint{Params: net.Params(), Updater: net.UpdaterState(),
			Iteration: net.Iteration()})
		trained, left := 0, -1
		if err := m.Fit(t.Context(), last, spread(t, open(t, on), 0), func(r distributed.Round) {
			trained += r.Examples
			left = r.Of - r.Index - r.Minibatches
		}); err != nil {
			t.Fatal(err)
		}
		got := m.Last().Updates
		if got != minibatches-at.Done || trained != examples-at.Examples || left != 0 || last.Epoch() != 1 {
			t.Errorf("%s: trained were %d updates of %d and %d examples after %d and %d; %d are left, the epoch is %d",
				on, got, minibatches, trained, at.Done, at.Examples, left, last.Epoch())
		}
	}
}

// narrow is an engine that reports more slots than it has, like one that has lost an executor for good.
type narrow struct {
	engine.Engine
	slots int
}

func (n narrow) Slots() int { return n.slots }

// TestGoOnWithFewer checks a fit in which no worker comes for one of two partitions. The other worker must train both,
// in the current epoch and in later ones.
func TestGoOnWithFewer(t *testing.T) {
	const minibatches, examples, epochs = 94, 1497, 3
	net := network(t, "mlp", 3)
	timing := steady()
	timing.Join = time.Second // one of the two workers never comes
	m := master(t, config(), Options{Timing: timing})
	trained, d := map[int]int{}, spread(t, narrow{open(t, "local[1]"), 2}, 0)
	if err := m.FitEpochs(t.Context(), net, d, epochs, func(r distributed.Round) {
		trained[r.Epoch] += r.Examples
	}); err != nil {
		t.Fatal(err)
	}
	if len(trained) != epochs || trained[0] != examples || trained[1] != examples || trained[2] != examples {
		t.Errorf("epochs trained %v examples", trained)
	}
	if updates := m.Last().Updates; net.Epoch() != epochs || len(m.ready.tasks) != 1 || len(m.ready.ends) != 2 ||
		updates < epochs*minibatches-minibatches/2 {
		t.Errorf("epoch %d, %d workers, %d partitions, %d updates after the loss",
			net.Epoch(), len(m.ready.tasks), len(m.ready.ends), updates)
	}
	if err := m.Fit(t.Context(), net, d, nil); err != nil || net.Epoch() != epochs+1 {
		t.Errorf("another fit: %v, epoch %d", err, net.Epoch())
	}
}
