package slots

import (
	"context"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// Worker runs the operations of one slot, a task at a time.
type Worker interface {
	// Run takes rows through the task's links. After it has returned, in is not read and out is not written any more.
	// Rows that were written before an error do not count.
	Run(ctx context.Context, t worker.Task, in engine.Rows, out engine.Writer) error
	// Drop forgets a broadcast and the values built from it; for the empty ID, all built values. No task is running.
	Drop(id engine.BroadcastID)
	// Close ends the worker. A running task is one that did not end in time.
	Close() error
}

// Broadcasts stores the values that workers see.
type Broadcasts interface {
	Put(id engine.BroadcastID, value []byte) error
	Remove(id engine.BroadcastID)
	Close() error
}
