package spark

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// combineHere is the number of partitions up to which the driver combines the results itself: moving them to the driver
// costs less than one more stage.
const combineHere = 4

// lastCombine reports whether d is one combined result of a few partitions.
func lastCombine(d *engine.Dataset) (engine.Mapped, bool) {
	m, ok := d.Plan().(engine.Mapped)
	if !ok || !m.Combine || d.Partitions() != 1 {
		return m, false
	}
	g, ok := m.Parent.Plan().(engine.Gathered)
	return m, ok && g.Parent.Partitions() <= combineHere
}

// combine collects the partitions and combines them in this process.
func (e *Engine) combine(ctx context.Context, m engine.Mapped, each func(int, engine.Row) error) error {
	from := m.Parent.Plan().(engine.Gathered).Parent
	parts := make([][]engine.Row, from.Partitions())
	if err := e.rows(ctx, from, false, func(p int, rows []engine.Row) error {
		parts[p] = rows
		return nil
	}); err != nil {
		return err
	}
	all := slices.Concat(parts...)
	if err := e.enter(); err != nil {
		return err
	}
	defer e.jobs.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(e.base, func() { cancel(errClosed) })()
	for attempt := 1; ; attempt++ {
		out, err := e.combineOnce(ctx, m, all, attempt)
		if err == nil {
			for _, row := range out {
				if err := each(0, row); err != nil {
					return err
				}
			}
			return nil
		}
		if engine.IsPermanent(err) || attempt >= e.options.Attempts || ctx.Err() != nil {
			w := &engine.WorkerError{Worker: "the driver", Attempt: attempt, Step: m.Step.Name(), Cause: err}
			if step := (*engine.StepError)(nil); errors.As(err, &step) {
				w.Step, w.Cause = step.Step, step.Cause
			}
			return w
		}
	}
}

// combineOnce is an attempt. If it does not end in time, it is left running, as nothing in this process could end it.
func (e *Engine) combineOnce(ctx context.Context, m engine.Mapped, all []engine.Row,
	attempt int) ([]engine.Row, error) {
	o := e.options
	ctx, cancel := context.WithTimeoutCause(ctx, o.TaskDeadline,
		engine.Permanent(fmt.Errorf("the attempt took longer than %v", o.TaskDeadline)))
	defer cancel()
	type result struct {
		rows []engine.Row
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		got := result{err: errors.New("the operation ended its goroutine")}
		w := &driver{engine: e, process: engine.Process{Slots: 1}}
		defer func() {
			w.cache.Clear()
			w.process.Cache.Clear()
			ended <- got
		}()
		t := worker.Task{Attempt: attempt, Threads: o.Threads, Links: []worker.Link{{Step: &m.Step, Combine: true}}}
		var out []engine.Row
		err := t.Run(ctx, w, o.Log, engine.SliceRows(all), engine.WriterFunc(func(row engine.Row) error {
			out = append(out, row)
			return nil
		}))
		got = result{out, err}
	}()
	select {
	case got := <-ended:
		return got.rows, got.err
	case <-ctx.Done():
	}
	grace := time.NewTimer(o.StopGrace)
	defer grace.Stop()
	select {
	case <-ended:
	case <-grace.C:
		o.Log.Warn("an operation does not heed Task.Context: it goes on in this process, for nothing",
			"operation", m.Step.Name())
	}
	return nil, context.Cause(ctx)
}

// driver is this process in the role of a worker.
type driver struct {
	engine  *Engine
	cache   engine.Cache
	process engine.Process
}

func (d *driver) Cache() *engine.Cache { return &d.cache }

func (d *driver) Process() *engine.Process { return &d.process }

func (d *driver) Broadcast(id engine.BroadcastID) ([]byte, error) {
	d.engine.mu.Lock()
	defer d.engine.mu.Unlock()
	if value, ok := d.engine.values[id]; ok {
		return value, nil
	}
	return nil, engine.Permanent(fmt.Errorf("broadcast %q was released, or is of another engine", id))
}
