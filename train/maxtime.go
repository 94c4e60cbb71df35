package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/internal/progress"
)

// errTimeUp is the cause with which Config.MaxTime cancels an epoch.
var errTimeUp = errors.New("the time for training is up")

// cut reports whether an epoch failed because it was cancelled.
func cut(err error) bool { return errors.Is(err, errTimeUp) || errors.Is(err, context.Canceled) }

// deadline is Config.MaxTime. It is also a condition of early stopping.
type deadline struct {
	run *Run
	now func() time.Time
	up  *TimeUp // set once the time is over

	asked atomic.Bool // by Remote.End
}

// late reports, after a step, whether Config.MaxTime is over, and records the first time that it is.
func (d *deadline) late() bool {
	r := d.run
	asked := d.asked.Load()
	if r.conf.MaxTime == 0 && !asked {
		return false
	}
	if d.up != nil {
		return true
	}
	after := d.now().Sub(r.begin)
	if after < r.conf.MaxTime && !asked {
		return false
	}
	d.up = &TimeUp{After: after, Asked: asked}
	if r.keeper != nil {
		r.keeper.ends = true
	}
	return true
}

// endInEpoch ends a run whose time is up in the middle of an epoch: it scores the network, saves it, and reports that.
func (d *deadline) endInEpoch(ctx context.Context, got *Figures) error {
	r := d.run
	net := r.conf.network()
	if err := cmp.Or(net.CheckParams(), net.CheckState()); err != nil {
		return r.failed(ctx, err, false, r.at.Epochs)
	}
	if err := r.heldOut.score(ctx, got); err != nil {
		return r.failed(ctx, err, true, r.at.Epochs)
	}
	place := fmt.Sprintf("after %s and iteration %d", progress.Plural(r.at.Epochs, "complete epoch"), net.Iteration())
	if err := r.model.save(r.saving, net, place); err != nil {
		return r.unsaved(ctx, err)
	}
	d.tell()
	return nil
}

// endBetween ends a run whose time is up at the end of an epoch. After the last epoch, the run was not cut short.
func (d *deadline) endBetween(passes int) {
	if d.run.at.Epochs == passes {
		d.up = nil
		return
	}
	d.tell()
}

// tell reports where the run ended.
func (d *deadline) tell() {
	r, t := d.run, d.up
	net := r.conf.network()
	t.Epoch, t.Iteration, t.Examples = net.Epoch(), net.Iteration(), r.at.Part.Examples
	r.conf.Listen(*t)
}

// Validate always succeeds: the time is a setting of the run.
func (d *deadline) Validate() error { return nil }

// Begin returns the condition. The time began with the run.
func (d *deadline) Begin() func(float64) bool { return func(float64) bool { return d.late() } }

func (d *deadline) String() string {
	if d.asked.Load() {
		return "Remote.End"
	}
	return fmt.Sprintf("MaxTime(%v)", d.run.conf.MaxTime)
}
