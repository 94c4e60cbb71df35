package serve

import (
	"context"
	"time"
)

// Times are where the time of calls went.
type Times struct {
	Queued   time.Duration // until the call's minibatch began
	Computed time.Duration // of its minibatches, with what others had in them
}

type timesKey struct{}

// WithTimes has the calls with a context add to times, which must not be read while one is under way.
func WithTimes(ctx context.Context, times *Times) context.Context {
	return context.WithValue(ctx, timesKey{}, times)
}
