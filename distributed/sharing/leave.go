package sharing

import (
	"context"

	"github.com/dl4go/dl4go/internal/coordination"
)

// outlast gives the workers a context, and ends it with the fit's. If the fit makes checkpoints, workers that have
// something to report go on when ctx ends, until stop is called.
func (r *run) outlast(ctx context.Context) {
	if r.working == nil {
		r.working, r.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	}
	r.unhook = context.AfterFunc(ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.master.base.Checkpoints == nil || r.tally.account.updates == 0 {
			r.stop(context.Cause(ctx))
		}
	})
}

// leave makes the last checkpoint of a fit whose context has ended, if one is wanted. It waits for the workers' reports
// as long as for a state, Timing.State. It reports whether the epoch has ended instead.
func (r *run) leave(ctx context.Context) (ended bool) {
	to := r.master.base.Checkpoints
	if to == nil || !to.Due() {
		return false
	}
	waiting, end := context.WithTimeout(context.WithoutCancel(ctx), r.master.base.Timing.State)
	defer end()
	r.left = end
	if !r.asked {
		r.asked = true
		r.Post(coordination.SaveNow{})
	}
	answer, _ := r.Await(waiting)
	_, ended = answer.(coordination.EpochDone)
	return ended
}
