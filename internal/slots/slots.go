// Package slots is the engine on one machine, for workers of any kind. It has N slots. Each slot has a worker that does
// one task at a time. The package schedules, retries, keeps and exchanges partitions. Operations run in this process
// for package local, and in child processes for package process.
package slots

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/cores"
	"github.com/dl4go/dl4go/internal/grace"
)

const most = 4096

// Parse reads the N of a master string name[N]; * is the number of cores.
func Parse(master, name string) (int, error) {
	inside, opened := strings.CutPrefix(master, name+"[")
	inside, closed := strings.CutSuffix(inside, "]")
	if opened && closed && inside == "*" {
		return cores.Count(), nil
	}
	n, err := strconv.Atoi(inside)
	if !opened || !closed || err != nil || n < 1 || n > most {
		return 0, &engine.MasterError{
			Master: master, Reason: fmt.Sprintf("the brackets hold the number of slots, from 1 to %d, or *", most),
		}
	}
	return n, nil
}

var errClosed = errors.New("the engine was closed")

// Engine is an engine of N workers.
type Engine struct {
	master  string
	options engine.Options
	all     []*slot
	free    chan *slot
	store   *store
	base    context.Context
	end     context.CancelCauseFunc
	values  Broadcasts

	mu     sync.Mutex
	issued int
}

// New starts an engine with a slot for each worker. Close also closes the workers and the broadcasts that they see.
func New(master string, workers []Worker, values Broadcasts, o engine.Options) *Engine {
	o = o.WithDefaults()
	if o.Threads == 0 {
		o.Threads = max(1, cores.Count()/len(workers))
	}
	e := &Engine{master: master, options: o, free: make(chan *slot, len(workers)), store: newStore(o), values: values}
	e.base, e.end = context.WithCancelCause(context.Background())
	for i, w := range workers {
		s := &slot{engine: e, name: fmt.Sprintf("slot %d of %s", i, master), worker: w}
		e.all = append(e.all, s)
		e.free <- s
	}
	return e
}

// Master is the master string, such as local[N].
func (e *Engine) Master() string { return e.master }

// Slots returns N.
func (e *Engine) Slots() int { return len(e.all) }

// Threads is the number of threads of each task.
func (e *Engine) Threads() int { return e.options.Threads }

// Persist keeps d's partitions in the memory of this process or in its temporary directory.
func (e *Engine) Persist(d *engine.Dataset, level engine.StorageLevel) {
	if level.Replicas() > 1 {
		e.options.Log.Warn("one copy is kept: "+e.Master()+" has one machine", "storageLevel", level)
	}
	if level == engine.OffHeap {
		e.options.Log.Warn("kept as MEMORY_AND_DISK_SER: "+e.Master()+" has no memory outside the heap", "storageLevel",
			level)
	}
	e.store.persist(d, level)
}

// Unpersist drops d's partitions. Their files are removed when the last job that reads them ends.
func (e *Engine) Unpersist(d *engine.Dataset) { e.store.unpersist(d) }

// Broadcast makes value known to the tasks.
func (e *Engine) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := context.Cause(e.base); err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.issued++
	id := engine.BroadcastID(fmt.Sprintf("b%d", e.issued))
	e.mu.Unlock()
	if err := e.values.Put(id, value); err != nil {
		return nil, err
	}
	return &broadcast{engine: e, id: id}, nil
}

type broadcast struct {
	engine *Engine
	id     engine.BroadcastID
	once   sync.Once
}

func (b *broadcast) ID() engine.BroadcastID { return b.id }

func (b *broadcast) Release() {
	b.once.Do(func() {
		b.engine.values.Remove(b.id)
		for _, s := range b.engine.all {
			s.drop(b.id)
		}
	})
}

// Close ends the running jobs, waits for their tasks, and drops everything that is kept.
func (e *Engine) Close() error {
	if context.Cause(e.base) != nil {
		return nil
	}
	e.end(errClosed)
	var late error
	if !e.emptied(e.options.StopGrace) {
		late = fmt.Errorf("%s was closed while %s still ran: it does not heed Task.Context", e.Master(), e.running())
	}
	var workers sync.WaitGroup
	failed := make([]error, len(e.all))
	for i, s := range e.all {
		workers.Go(func() { failed[i] = s.worker.Close() })
	}
	workers.Wait()
	return errors.Join(late, errors.Join(failed...), e.values.Close(), e.store.close())
}

// emptied takes all slots when their tasks have ended. It reports whether they did before d has passed.
func (e *Engine) emptied(d time.Duration) bool {
	over := make(chan struct{})
	l := grace.NewLimit(d, func() { close(over) })
	defer l.Stop()
	for range e.all {
		select {
		case <-e.free:
			continue
		default:
		}
		select {
		case <-e.free:
		case <-over:
			return e.running() == ""
		}
	}
	return true
}

// running lists the partitions in the slots.
func (e *Engine) running() string {
	var held []string
	for _, s := range e.all {
		if what := s.occupant(); what != "" {
			held = append(held, what)
		}
	}
	return strings.Join(held, ", ")
}
