package sharing

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/nn"
)

// stopping keeps the checkpoints with more than beyond updates. It ends the fit when it has kept after of them.
type stopping struct {
	after, beyond int
	stop          context.CancelCauseFunc
	last          distributed.Checkpoint
}

var errStopped = errors.New("stopped by the test")

func (s *stopping) Due() bool { return true }

func (s *stopping) Keep(k distributed.Checkpoint) {
	if k.Done <= s.beyond || s.after == 0 {
		return
	}
	k.Params, k.Updater = slices.Clone(k.Params), slices.Clone(k.Updater)
	s.last = k
	if s.after--; s.after == 0 {
		s.stop(errStopped)
	}
}

// again returns the network of a checkpoint.
func again(t *testing.T, name string, k distributed.Checkpoint) *nn.MultiLayer {
	t.Helper()
	net := network(t, name, 99)
	copy(net.Params(), k.Params)
	copy(net.UpdaterState(), k.Updater)
	net.SetIteration(k.Iteration)
	net.SetEpoch(k.Epoch)
	return net
}

// TestResume interrupts an epoch twice. Minibatches that are committed in a checkpoint must not be trained again, and
// the others must be. The network must learn as if there had been no break.
func TestResume(t *testing.T) {
	const minibatches, examples = 94, 1497
	for _, engine := range []string{"local[2]", "processes[2]"} {
		t.Run(engine, func(t *testing.T) {
			c := config()
			e := open(t, engine)
			data := spread(t, e, 0)
			net := network(t, "cnn", 3) // has batch normalisation
			first := master(t, c, Options{MinWorkers: 2})
			for range 2 {
				if err := first.Fit(t.Context(), net, data, nil); err != nil {
					t.Fatal(err)
				}
			}
			settings, err := first.Config().JSON()
			if err != nil {
				t.Fatal(err)
			}
			if c, err = FromJSON(settings); err != nil {
				t.Fatal(err)
			}
			// This makes checkpoints come long before the epoch ends, even on a busy machine.
			c.RNGSeed, c.DebugLongerIterations = 3, 150
			var at *distributed.Place
			for range 2 {
				ctx, stop := context.WithCancelCause(t.Context())
				s := &stopping{after: 2, stop: stop}
				m := master(t, c, Options{MinWorkers: 2, Checkpoints: s})
				if at != nil {
					s.beyond = at.Done // a busy machine may make checkpoints before a worker has gone on
					m.Resume(*at)
				}
				if err := m.Fit(ctx, net, data, nil); !errors.Is(err, errStopped) {
					t.Fatalf("the fit ended with %v before two checkpoints", err)
				}
				stop(nil)
				if k := s.last; k.Done >= minibatches || k.Examples >= examples || at != nil && k.Done <= at.Done ||
					k.Epoch != 2 || k.Begun != minibatches {
					t.Fatalf("the place is %+v of epoch %d, after %+v", k.Place, k.Epoch, at)
				}
				at, net = &s.last.Place, again(t, "cnn", s.last)
			}
			c.DebugLongerIterations = 0
			if other := "not those that the epoch began with"; true {
				wrong := c
				wrong.RNGSeed++
				m := master(t, wrong, Options{})
				m.Resume(*at)
				if err := m.Fit(t.Context(), net, data, nil); err == nil || !strings.Contains(err.Error(), other) {
					t.Errorf("with another seed: %v", err)
				}
			}
			m := master(t, c, Options{MinWorkers: 2})
			m.Resume(*at)
			trained, left := 0, 0
			if err := m.Fit(t.Context(), net, data, func(r distributed.Round) {
				trained += r.Examples
				left = r.Of - r.Index - r.Minibatches
			}); err != nil {
				t.Fatal(err)
			}
			last := m.Last()
			if last.Updates != minibatches-at.Done || trained != examples-at.Examples || left != 0 {
				t.Errorf("trained were %d updates and %d examples after %d and %d; %d are left", last.Updates, trained, at.Done,
					at.Examples, left)
			}
			if last.Losses.Residuals != 0 {
				t.Errorf("%d residuals are counted as lost, of 2 workers that have reported theirs", last.Losses.Residuals)
			}
			if net.Epoch() != 3 || net.Iteration() != 3*minibatches/2 {
				t.Errorf("epoch %d, iteration %d", net.Epoch(), net.Iteration())
			}
		})
	}
}
