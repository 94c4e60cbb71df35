// Package grace has time limits that are fair on a slow machine: some time for the cleanup after a cancelled request,
// and limits that a pause of this process does not use up.
package grace

import (
	"context"
	"time"
)

// Extend returns a context that ends d after ctx has, as a [Limit] does. Call cancel when the work is done.
func Extend(ctx context.Context, d time.Duration) (_ context.Context, cancel context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		late := make(chan struct{})
		l := NewLimit(d, func() { close(late) })
		defer l.Stop()
		select {
		case <-longer.Done():
		case <-late:
			end()
		}
	})
	return longer, func() { stop(); end() }
}
