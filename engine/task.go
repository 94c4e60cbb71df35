package engine

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
)

// Task is one attempt at one partition, as the operation sees it.
type Task struct {
	Partition int          // from 0, of the data set that the operation makes
	Attempt   int          // from 1
	Threads   int          // how many threads the operation may use
	Log       *slog.Logger // has partition and attempt; its lines reach the driver's log
	ctx       context.Context
	worker    Worker
}

// Worker is what an engine gives its tasks on the worker where they run.
type Worker interface {
	// Broadcast gives the bytes of a broadcast value. They are shared: read only.
	Broadcast(id BroadcastID) ([]byte, error)
	// Cache is for the task alone as long as it runs.
	Cache() *Cache
}

// NewTask is for engines.
func NewTask(ctx context.Context, w Worker, partition, attempt, threads int, log *slog.Logger) *Task {
	log = log.With("partition", partition, "attempt", attempt)
	return &Task{Partition: partition, Attempt: attempt, Threads: threads, Log: log, ctx: ctx, worker: w}
}

// Context is done when the job is given up or the attempt's deadline has passed. Operations that compute for long
// between two rows look at it.
func (t *Task) Context() context.Context { return t.ctx }

// Broadcast gives the value that the driver broadcast: its bytes, shared and read only.
func (t *Task) Broadcast(id BroadcastID) ([]byte, error) { return t.worker.Broadcast(id) }

// BroadcastID names a broadcast value in an operation's configuration.
type BroadcastID string

// Cached gives what build makes of a broadcast value, such as a network of its configuration: built once on each
// worker, used by one task at a time, and dropped (closed, if it is an io.Closer) when the broadcast is released or an
// attempt on that worker failed. A worker may be new at any time, so what is cached may save work but not carry
// results from one task to the next. key tells apart what is made of one broadcast.
func Cached[T any](t *Task, id BroadcastID, key string, build func(value []byte) (T, error)) (T, error) {
	c := t.worker.Cache()
	if v, ok := c.get(id, key); ok {
		built, ok := v.(T)
		if !ok {
			return built, Permanent(fmt.Errorf("%q of broadcast %s is a %T, wanted a %T", key, id, v, built))
		}
		return built, nil
	}
	var none T
	value, err := t.Broadcast(id)
	if err != nil {
		return none, err
	}
	built, err := build(value)
	if err != nil {
		return none, err
	}
	c.put(id, key, built)
	return built, nil
}

// Cache holds what the tasks of one worker built with Cached. The zero value is ready.
type Cache struct {
	mu     sync.Mutex
	values map[BroadcastID]map[string]any
}

func (c *Cache) get(id BroadcastID, key string) (any, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.values[id][key]
	return v, ok
}

func (c *Cache) put(id BroadcastID, key string, v any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.values == nil {
		c.values = make(map[BroadcastID]map[string]any)
	}
	if c.values[id] == nil {
		c.values[id] = make(map[string]any)
	}
	c.values[id][key] = v
}

// Drop closes and forgets what was built of one broadcast.
func (c *Cache) Drop(id BroadcastID) {
	c.mu.Lock()
	values := c.values[id]
	delete(c.values, id)
	c.mu.Unlock()
	for _, v := range values {
		if closer, ok := v.(io.Closer); ok {
			closer.Close()
		}
	}
}

// Clear drops everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	ids := make([]BroadcastID, 0, len(c.values))
	for id := range c.values {
		ids = append(ids, id)
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.Drop(id)
	}
}
