// Package local is the engine local[N]: N slots in this process, each a goroutine while it runs a task. Rows pass by
// reference. Importing the package makes the master strings local, local[N] and local[*] known to engine.Open.
//
// The partitions of one attempt are handed over inside one address space, in one step, when the attempt is complete:
// that is its commit, and it needs no checksum. Rows that go to disk have one each.
package local

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
)

func init() {
	engine.RegisterScheme(engine.Scheme{
		Name:  "local",
		Forms: "local (one slot), local[N], local[*] (a slot for each processor)",
		Open: func(_ context.Context, master string, o engine.Options) (engine.Engine, error) {
			slots, err := parse(master)
			if err != nil {
				return nil, err
			}
			return New(slots, o), nil
		},
	})
}

const maxSlots = 4096

func parse(master string) (int, error) {
	inside, ok := strings.CutPrefix(master, "local")
	if ok && inside == "" {
		return 1, nil
	}
	inside, closed := strings.CutSuffix(strings.TrimPrefix(inside, "["), "]")
	if closed && inside == "*" {
		return runtime.GOMAXPROCS(0), nil
	}
	n, err := strconv.Atoi(inside)
	if !closed || err != nil || n < 1 || n > maxSlots {
		return 0, &engine.MasterError{
			Master: master, Reason: fmt.Sprintf("the brackets hold the number of slots, from 1 to %d, or *", maxSlots),
		}
	}
	return n, nil
}

var errClosed = errors.New("the engine was closed")

// Engine is local[N].
type Engine struct {
	options engine.Options
	all     []*slot
	free    chan *slot
	store   *store
	base    context.Context
	end     context.CancelCauseFunc

	mu         sync.Mutex
	broadcasts map[engine.BroadcastID][]byte
	issued     int
}

// New starts an engine with so many slots.
func New(slots int, o engine.Options) *Engine {
	o = o.WithDefaults()
	if o.Threads == 0 {
		o.Threads = max(1, runtime.GOMAXPROCS(0)/slots)
	}
	e := &Engine{
		options: o, free: make(chan *slot, slots), store: newStore(o),
		broadcasts: make(map[engine.BroadcastID][]byte),
	}
	e.base, e.end = context.WithCancelCause(context.Background())
	for i := range slots {
		s := &slot{engine: e, name: fmt.Sprintf("slot %d of local[%d]", i, slots)}
		e.all = append(e.all, s)
		e.free <- s
	}
	return e
}

// Master is local[N].
func (e *Engine) Master() string { return fmt.Sprintf("local[%d]", len(e.all)) }

// Slots is N.
func (e *Engine) Slots() int { return len(e.all) }

// Threads is the number of threads of each task.
func (e *Engine) Threads() int { return e.options.Threads }

// Persist keeps d's partitions in the memory of this process or in its temporary directory.
func (e *Engine) Persist(d *engine.Dataset, level engine.StorageLevel) {
	if level.Replicas() > 1 {
		e.options.Log.Warn("one copy is kept: "+e.Master()+" has one machine", "storageLevel", level)
	}
	if level == engine.OffHeap {
		e.options.Log.Warn("kept as MEMORY_AND_DISK_SER: "+e.Master()+" has no memory outside the heap", "storageLevel", level)
	}
	e.store.persist(d, level)
}

// Unpersist drops d's partitions. Their files go when the last job that reads them ends.
func (e *Engine) Unpersist(d *engine.Dataset) { e.store.unpersist(d) }

// Broadcast makes value known to the tasks, by reference.
func (e *Engine) Broadcast(ctx context.Context, value []byte) (engine.Broadcast, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := context.Cause(e.base); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.issued++
	id := engine.BroadcastID(fmt.Sprintf("b%d", e.issued))
	e.broadcasts[id] = value
	return &broadcast{e, id}, nil
}

type broadcast struct {
	engine *Engine
	id     engine.BroadcastID
}

func (b *broadcast) ID() engine.BroadcastID { return b.id }

func (b *broadcast) Release() {
	b.engine.mu.Lock()
	delete(b.engine.broadcasts, b.id)
	b.engine.mu.Unlock()
	for _, s := range b.engine.all {
		s.drop(b.id)
	}
}

// Close ends the running jobs, waits for their tasks, and drops everything that is kept.
func (e *Engine) Close() error {
	if context.Cause(e.base) != nil {
		return nil
	}
	e.end(errClosed)
	grace := time.NewTimer(e.options.StopGrace)
	defer grace.Stop()
	var late error
	for range e.all {
		select {
		case <-e.free:
		case <-grace.C:
			late = fmt.Errorf("%s was closed while %s still ran: it does not heed Task.Context", e.Master(), e.running())
		}
		if late != nil {
			break
		}
	}
	for _, s := range e.all {
		s.clear()
	}
	return errors.Join(late, e.store.close())
}

// running names what occupies the slots.
func (e *Engine) running() string {
	var held []string
	for _, s := range e.all {
		if what := s.occupant(); what != "" {
			held = append(held, what)
		}
	}
	return strings.Join(held, ", ")
}
