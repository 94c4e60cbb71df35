package local

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// values holds this process's broadcasts, by reference, and the state that its workers share.
type values struct {
	master  string
	process engine.Process
	mu      sync.Mutex
	byID    map[engine.BroadcastID][]byte
	left    map[engine.BroadcastID]int // how many workers dropped a released value
	closed  int                        // workers that no task uses any more
}

func (v *values) Put(id engine.BroadcastID, value []byte) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.byID[id] = value
	return nil
}

func (v *values) Remove(id engine.BroadcastID) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.byID, id)
}

// Close clears the cache, unless a task that does not end is using it.
func (v *values) Close() error {
	v.mu.Lock()
	idle := v.closed == v.process.Slots
	v.mu.Unlock()
	if idle {
		v.process.Cache.Clear()
	}
	return nil
}

// drop counts the workers that have dropped a broadcast. After the last one, it drops it from their shared cache.
func (v *values) drop(id engine.BroadcastID) {
	v.mu.Lock()
	v.left[id]++
	last := v.left[id] == v.process.Slots
	if last {
		delete(v.left, id)
	}
	v.mu.Unlock()
	if last {
		v.process.Cache.Drop(id)
	}
}

// Broadcast returns a value for a task.
func (v *values) Broadcast(id engine.BroadcastID) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.byID[id]
	if !ok {
		return nil, engine.Permanent(fmt.Errorf("broadcast %q was released, or is of another engine than %s", id, v.master))
	}
	return value, nil
}

// inProcess is a worker in this process.
type inProcess struct {
	*values
	cache engine.Cache
	log   *slog.Logger
	busy  sync.Mutex // held by the task
}

// Cache holds values that the slot's tasks built.
func (w *inProcess) Cache() *engine.Cache { return &w.cache }

// Process holds values that all slots' tasks built.
func (w *inProcess) Process() *engine.Process { return &w.process }

func (w *inProcess) Run(ctx context.Context, t worker.Task, in engine.Rows, out engine.Writer) error {
	w.busy.Lock()
	defer w.busy.Unlock()
	return t.Run(ctx, w, w.log, in, out)
}

func (w *inProcess) Drop(id engine.BroadcastID) {
	if id == "" {
		w.cache.Clear()
		return
	}
	w.cache.Drop(id)
	w.values.drop(id)
}

// Close clears the cache, unless a task that does not end is using it.
func (w *inProcess) Close() error {
	if w.busy.TryLock() {
		defer w.busy.Unlock()
		w.cache.Clear()
		w.values.mu.Lock()
		w.closed++
		w.values.mu.Unlock()
	}
	return nil
}
