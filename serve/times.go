package serve

import (
	"context"
	"time"
)

// Times says where the time of calls went: see [WithTimes].
type Times struct {
	Queued   time.Duration // waiting for the computation of the call's minibatches
	Computed time.Duration // computing its minibatches, including other calls' examples in them
}

type timesKey struct{}

// WithTimes returns a context under which calls add their times to times. Do not read times while such a call is
// running.
func WithTimes(ctx context.Context, times *Times) context.Context {
	return context.WithValue(ctx, timesKey{}, times)
}
