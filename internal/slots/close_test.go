package slots

import (
	"context"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// idle is a worker without a task.
type idle struct{}

func (idle) Run(context.Context, worker.Task, engine.Rows, engine.Writer) error { return nil }
func (idle) Drop(engine.BroadcastID)                                            {}
func (idle) Close() error                                                       { return nil }

type noValues struct{}

func (noValues) Put(engine.BroadcastID, []byte) error { return nil }
func (noValues) Remove(engine.BroadcastID)            {}
func (noValues) Close() error                         { return nil }

// TestCloseSeesFreeSlots: slots that are free are no running tasks, even if no time is left to wait for any.
func TestCloseSeesFreeSlots(t *testing.T) {
	for range 100 {
		workers := make([]Worker, 64)
		for i := range workers {
			workers[i] = idle{}
		}
		if err := New("idle[64]", workers, noValues{}, engine.Options{StopGrace: 1}).Close(); err != nil {
			t.Fatal(err)
		}
	}
}
