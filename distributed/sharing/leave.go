package sharing

import (
	"context"

	"github.com/dl4go/dl4go/internal/coordination"
)

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
