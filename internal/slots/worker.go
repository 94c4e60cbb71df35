package slots

import (
	"context"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// Worker is where the operations of one slot run, a task at a time.
type Worker interface {
	// Run takes rows through the task's links. When it has returned, in is not read and out not written any more. Rows
	// that were written before an error do not count.
	Run(ctx context.Context, t worker.Task, in engine.Rows, out engine.Writer) error
	// Drop forgets a broadcast and what was built of it; for the empty ID, all that was built. No task is running.
	Drop(id engine.BroadcastID)
	// Close ends the worker. A task that is running is one that does not end in time.
	Close() error
}

// Broadcasts keeps the values that workers see.
type Broadcasts interface {
	Put(id engine.BroadcastID, value []byte) error
	Remove(id engine.BroadcastID)
	Close() error
}
