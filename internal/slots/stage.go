package slots

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/tracing"
	"github.com/dl4go/dl4go/internal/worker"
)

// outcome is the result of a partition's attempts.
type outcome[T any] struct {
	at    int // in the stage's list of partitions
	value T
	err   error
	late  bool // the task still runs
}

// stage computes partitions of d, or a value for each, on the engine's slots. It uses all slots, and delivers in the
// order of the list. It computes a few partitions ahead of the next delivery.
func stage[T any](j *job, d *engine.Dataset, partitions []int, body func(a *attempt, p int) (T, error),
	deliver func(p int, value T) error) error {
	ctx, cancel := context.WithCancelCause(j.ctx)
	defer cancel(nil)
	s := &stageRun[T]{job: j, ctx: ctx, partitions: partitions, body: body, resident: d.Resident(),
		outcomes: make(chan outcome[T]), over: make(chan struct{})}
	defer close(s.over)
	err := s.run(deliver)
	if err != nil {
		cancel(err)
		s.await()
	}
	return err
}

type stageRun[T any] struct {
	job        *job
	ctx        context.Context
	partitions []int
	body       func(a *attempt, p int) (T, error)
	resident   bool // attempts have no deadline
	outcomes   chan outcome[T]
	over       chan struct{} // nothing reads outcomes any more
	running    int
}

func (s *stageRun[T]) run(deliver func(p int, value T) error) error {
	e := s.job.engine
	if s.job.ctx.Err() != nil {
		return s.job.givenUp()
	}
	patience := e.options.TaskDeadline + e.options.StopGrace
	impatient := time.NewTimer(patience)
	defer impatient.Stop()
	window := 2 * len(e.all)
	done := make(map[int]T)
	ended := 0
	for next, delivered := 0, 0; delivered < len(s.partitions); {
		free := e.free
		if next == len(s.partitions) || next == delivered+window {
			free = nil
		}
		select {
		case slot := <-free:
			s.start(slot, next)
			next++
		case o := <-s.outcomes:
			if !o.late {
				s.running--
			}
			if o.err != nil && s.job.ctx.Err() != nil {
				return s.job.givenUp()
			} else if o.err != nil {
				return o.err
			}
			done[o.at] = o.value
			if ended++; e.options.Progress != nil {
				// A task leaves its slot to the next one before its outcome is read.
				e.options.Progress(engine.Progress{Tasks: len(s.partitions), Done: ended, Running: min(s.running, len(e.all))})
			}
			for value, ok := done[delivered]; ok; value, ok = done[delivered] {
				delete(done, delivered)
				if err := deliver(s.partitions[delivered], value); err != nil {
					return err
				}
				delivered++
			}
		case <-s.ctx.Done():
			return s.job.givenUp()
		case <-impatient.C:
			if s.running == 0 && len(e.free) == 0 {
				return fmt.Errorf("no slot of %s became free in %v: they are held by %s", e.Master(), patience, e.running())
			}
		}
		impatient.Reset(patience)
	}
	return nil
}

// await waits for the tasks of a failed stage to end.
func (s *stageRun[T]) await() {
	over := make(chan struct{})
	l := grace.NewLimit(s.job.engine.options.StopGrace, func() { close(over) })
	defer l.Stop()
	for s.running > 0 {
		select {
		case o := <-s.outcomes:
			if !o.late {
				s.running--
			}
		case <-over:
			s.job.engine.options.Log.Warn("a job has ended while its tasks still run: they do not heed Task.Context",
				"tasks", s.job.engine.running())
			return
		}
	}
}

func (s *stageRun[T]) send(o outcome[T]) {
	select {
	case s.outcomes <- o:
	case <-s.over:
	}
}

// start runs the attempts at a partition on a slot of its own.
func (s *stageRun[T]) start(on *slot, at int) {
	s.running++
	p := s.partitions[at]
	on.occupy(fmt.Sprintf("partition %d", p))
	go func() {
		// This outcome remains if an operation ends its goroutine.
		o := outcome[T]{at: at, err: &engine.WorkerError{Worker: on.name, Partition: p, Attempt: 1, Step: "task",
			Cause: errors.New("the operation ended its goroutine")}}
		defer func() {
			on.leave()
			s.send(o)
		}()
		o.value, o.err = s.attempts(on, at)
	}()
}

func (s *stageRun[T]) attempts(on *slot, at int) (value T, err error) {
	options, p := s.job.engine.options, s.partitions[at]
	failures := 0
	for n := 1; ; n++ {
		var late *time.Timer
		if !s.resident {
			late = time.AfterFunc(options.TaskDeadline+options.StopGrace, func() {
				s.send(outcome[T]{at: at, late: true, err: &engine.WorkerError{Worker: on.name, Partition: p, Attempt: n,
					Step: "task", Cause: fmt.Errorf("no result after %v, and it does not heed Task.Context", options.TaskDeadline)}})
			})
		}
		var fed bool
		value, fed, err = s.once(on, p, n)
		if late != nil {
			late.Stop()
		}
		if err == nil {
			return value, nil
		}
		on.worker.Drop("")
		if s.ctx.Err() != nil {
			return value, err
		}
		failed := &engine.WorkerError{Worker: on.name, Partition: p, Attempt: n, Step: "task", Cause: err}
		if step := (*engine.StepError)(nil); errors.As(err, &step) {
			failed.Step, failed.Cause = step.Step, step.Cause
		}
		// A resident task that has had its rows was at work. Its users, not the engine, limit how often it may end.
		if !s.resident || !fed {
			failures++
		}
		log := options.Log.With("partition", p, "attempt", n, "of", options.Attempts+n-failures, "step", failed.Step,
			"worker", on.name)
		if v := (*engine.PanicError)(nil); errors.As(err, &v) {
			log.Error(v.Error(), "stack", string(v.Stack))
		}
		if failures >= options.Attempts || engine.IsPermanent(err) {
			return value, failed
		}
		if lost := worker.Lost(s.ctx); lost != nil && s.resident {
			lost(failed)
			continue
		}
		log.Warn("a task failed and is tried again", "cause", failed.Cause)
	}
}

// once runs an attempt. fed reports whether a worker has read all rows of its task.
func (s *stageRun[T]) once(on *slot, p, n int) (value T, fed bool, err error) {
	traced, end := tracing.Start(s.ctx, "task", "partition", p, "attempt", n, "worker", on.name)
	defer func() { end(err) }()
	a := &attempt{job: s.job, ctx: traced, slot: on, number: n}
	if !s.resident {
		deadline := s.job.engine.options.TaskDeadline
		ctx, cancel := context.WithTimeoutCause(traced, deadline, fmt.Errorf("the attempt took longer than %v", deadline))
		defer cancel()
		a.ctx, a.deadline = ctx, deadline
	}
	defer a.end()
	value, err = s.body(a, p)
	return value, a.fed.Load(), err
}
