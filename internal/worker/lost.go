package worker

import (
	"context"

	"github.com/dl4go/dl4go/engine"
)

type lostKey struct{}

// WithLost returns a context for a job of resident tasks whose user reports lost workers: the engine calls lost, from
// any goroutine, where it would log that an attempt failed and that another one follows.
func WithLost(ctx context.Context, lost func(*engine.WorkerError)) context.Context {
	return context.WithValue(ctx, lostKey{}, lost)
}

// Lost returns the function that WithLost was given, or nil.
func Lost(ctx context.Context) func(*engine.WorkerError) {
	lost, _ := ctx.Value(lostKey{}).(func(*engine.WorkerError))
	return lost
}
