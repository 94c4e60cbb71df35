package sharing

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/distributed"
)

// leaver wants one checkpoint: when the fit is interrupted.
type leaver struct {
	ctx  context.Context
	kept []distributed.Checkpoint
}

func (l *leaver) Due() bool { return l.ctx.Err() != nil }

func (l *leaver) Keep(k distributed.Checkpoint) {
	k.Params, k.Updater = slices.Clone(k.Params), slices.Clone(k.Updater)
	l.kept = append(l.kept, k)
}

// TestLeave interrupts a fit. Its workers still report, so that the last checkpoint has all updates and residuals, and
// the epoch goes on from there.
func TestLeave(t *testing.T) {
	for _, on := range []string{"local[2]", "processes[2]"} {
		ctx, stop := context.WithCancelCause(t.Context())
		defer stop(nil)
		c := config()
		c.DebugLongerIterations = 20
		l := &leaver{ctx: ctx}
		m := master(t, c, Options{Checkpoints: l, Timing: steady()})
		net, d := network(t, "mlp", 3), spread(t, open(t, on), 0)
		trained := 0
		err := m.Fit(ctx, net, d, func(r distributed.Round) {
			if ctx.Err() == nil { // afterwards, training goes on for a moment
				trained = r.Minibatches
			}
			stop(errStopped)
		})
		if !errors.Is(err, errStopped) || len(l.kept) != 1 {
			t.Fatalf("%s: it ended with %v and %d checkpoints", on, err, len(l.kept))
		}
		k := l.kept[0]
		var of kept
		if err := json.Unmarshal(k.Master, &of); err != nil {
			t.Fatal(err)
		}
		if k.Done < trained || trained == 0 || of.Lost == nil || *of.Lost != 0 {
			t.Errorf("%s: %d minibatches were trained, the checkpoint is %+v of %s", on, trained, k.Place, k.Master)
		}
		m = master(t, config(), Options{})
		m.Resume(k.Place)
		last := again(t, "mlp", k)
		if err := m.Fit(t.Context(), last, d, nil); err != nil {
			t.Fatal(err)
		}
		if got := m.Last().Updates + k.Done; got != 94 {
			t.Errorf("%s: %d minibatches were trained, before and after the break", on, got)
		}
	}
}
