package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// Task is one attempt to run an operation on one partition.
type Task struct {
	Partition int          // the partition that the operation makes, from 0
	Attempt   int          // the number of the attempt, from 1
	Threads   int          // the number of threads that the operation may use
	Log       *slog.Logger // goes to the driver's log, with partition and attempt
	ctx       context.Context
	worker    Worker
}

// Worker has the services of an engine for tasks on their worker. It may also be an [Opener].
type Worker interface {
	// Broadcast returns the bytes of a broadcast value. Tasks share them, and must not write into them.
	Broadcast(id BroadcastID) ([]byte, error)
	// Cache returns the worker's own cache. Only one task at a time uses it.
	Cache() *Cache
	// Process returns the state that all tasks of the worker's process share.
	Process() *Process
}

// NewTask makes a task, for engines.
func NewTask(ctx context.Context, w Worker, partition, attempt, threads int, log *slog.Logger) *Task {
	log = log.With("partition", partition, "attempt", attempt)
	return &Task{Partition: partition, Attempt: attempt, Threads: threads, Log: log, ctx: ctx, worker: w}
}

// Context is done when the job is given up or the attempt's deadline has passed. Operations that compute for long
// between two rows should check it.
func (t *Task) Context() context.Context { return t.ctx }

// Broadcast returns the value that the driver broadcast. Other tasks share the bytes: do not write into them.
func (t *Task) Broadcast(id BroadcastID) ([]byte, error) { return t.worker.Broadcast(id) }

// BroadcastID names a broadcast value in an operation's configuration.
type BroadcastID string

// Cached returns the result of build for a broadcast value, such as a network made of its configuration. It is built
// once on each worker and used by one task at a time. It is dropped, and closed if it is an io.Closer, when the
// broadcast is released or an attempt on that worker failed. A worker may be new at any time, so the cache may save
// work, but must not carry results from one task to the next. key distinguishes several things made of one broadcast.
func Cached[T any](t *Task, id BroadcastID, key string, build func(value []byte) (T, error)) (T, error) {
	return cached(t, t.worker.Cache(), id, key, build)
}

// Shared is [Cached] for all workers of a process. Their tasks use the result at the same time. It is built once in the
// process, while others wait. It is dropped when the broadcast is released and no task that may use it runs. Failed
// attempts do not drop it.
func Shared[T any](t *Task, id BroadcastID, key string, build func(value []byte) (T, error)) (T, error) {
	return cached(t, &t.worker.Process().Cache, id, key, build)
}

// Slots returns the number of tasks that this task's process runs at the same time.
func (t *Task) Slots() int { return t.worker.Process().Slots }

// Settle tells the engine that the task computes with its threads. On a machine with several NUMA nodes, such as one
// with two sockets, a worker that is a process of its own then stays on one node, with its memory, if a node has a free
// core for each thread. Results do not depend on it.
func (t *Task) Settle() {
	if settle := t.worker.Process().Settle; settle != nil {
		if on := settle(t.Threads); on != "" {
			t.Log.Debug("this worker stays on one NUMA node", "on", on)
		}
	}
}

// Process is the state that the workers of one process share.
type Process struct {
	Slots int // tasks at the same time
	Cache Cache
	// Settle makes the process stay on the NUMA node that it returns, if one has free cores for that many threads.
	// It is nil if the process does other work, too.
	Settle func(threads int) (on string)
}

func cached[T any](t *Task, c *Cache, id BroadcastID, key string, build func(value []byte) (T, error)) (T, error) {
	var none T
	e := c.entry(id, key)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.value != nil {
		built, ok := e.value.(T)
		if !ok {
			return none, Permanent(fmt.Errorf("%q of broadcast %s is a %T, wanted a %T", key, id, e.value, none))
		}
		return built, nil
	}
	value, err := t.Broadcast(id)
	if err != nil {
		return none, err
	}
	built, err := build(value)
	if err != nil {
		return none, err
	}
	e.value = built
	return built, nil
}

// Cache holds the results that tasks built with Cached or Shared. The zero value is ready.
type Cache struct {
	mu      sync.Mutex
	entries map[BroadcastID]map[string]*entry
}

type entry struct {
	mu    sync.Mutex // held while the value is built
	value any
}

func (c *Cache) entry(id BroadcastID, key string) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries == nil {
		c.entries = make(map[BroadcastID]map[string]*entry)
	}
	if c.entries[id] == nil {
		c.entries[id] = make(map[string]*entry)
	}
	if c.entries[id][key] == nil {
		c.entries[id][key] = new(entry)
	}
	return c.entries[id][key]
}

// Drop closes and forgets everything built from one broadcast.
func (c *Cache) Drop(id BroadcastID) {
	c.mu.Lock()
	entries := c.entries[id]
	delete(c.entries, id)
	c.mu.Unlock()
	for _, e := range entries {
		e.mu.Lock()
		if closer, ok := e.value.(io.Closer); ok {
			closer.Close()
		}
		e.mu.Unlock()
	}
}

// Clear drops everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	ids := make([]BroadcastID, 0, len(c.entries))
	for id := range c.entries {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.Drop(id)
	}
}
