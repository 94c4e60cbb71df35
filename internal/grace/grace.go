// Package grace gives the cleanup after a cancelled request a little more time.
package grace

import (
	"context"
	"time"
)

// Extend returns a context that ends d after ctx has. Call cancel when the work is done.
func Extend(ctx context.Context, d time.Duration) (_ context.Context, cancel context.CancelFunc) {
	longer, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-longer.Done():
		case <-t.C:
			end()
		}
	})
	return longer, func() { stop(); end() }
}
