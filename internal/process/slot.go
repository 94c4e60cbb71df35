package process

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/worker"
)

// slot is a place for one child process. It starts the process when there is a task for it, and a new one when the old
// one is no longer usable.
type slot struct {
	options engine.Options
	process Options
	build   string
	values  *broadcasts
	told    *atomic.Int64 // number of tasks of the engine

	mu    sync.Mutex
	child *child
}

// grace returns how long a worker with a task may take to end before it is killed: 2 s, or half of its job's StopGrace
// if that is less.
func (s *slot) grace() time.Duration { return min(2*time.Second, s.options.StopGrace/2) }

func (s *slot) current() *child {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.child
}

// ready returns a live process.
func (s *slot) ready() (*child, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.child != nil && s.child.alive() {
		return s.child, nil
	}
	if s.child != nil && s.child.end(0) {
		how, _ := worker.Ending(s.child.status, s.child.log.last())
		s.options.Log.Warn("a worker process without a task "+how+"; another takes its place", "pid", s.child.process.Pid)
	}
	var err error
	s.child, err = start(s.process, s.told, s.options.Log)
	return s.child, err
}

// Run runs the task in the child process.
func (s *slot) Run(ctx context.Context, t worker.Task, in engine.Rows, out engine.Writer) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c, err := s.ready()
	if err != nil {
		return fmt.Errorf("no worker process could be started: %w", err)
	}
	t.Build, t.AliveEvery, t.Attended = s.build, s.process.Silence/10, true
	t.Broadcasts = s.values.paths()
	if s.options.Log.Enabled(ctx, slog.LevelDebug) {
		t.Log = slog.LevelDebug
	}
	stop := context.AfterFunc(ctx, func() { c.end(s.grace()) })
	fit, err := c.do(t, in, out)
	if !stop() {
		c.end(s.grace())
		if cause := context.Cause(ctx); cause != nil && err != nil {
			return named(cause, err)
		}
	}
	if !fit {
		c.end(s.grace())
	}
	return err
}

// named adds the name of the step from err to the cause.
func named(cause, err error) error {
	if step := (*engine.StepError)(nil); errors.As(err, &step) {
		return &engine.StepError{Step: step.Step, Cause: cause}
	}
	return cause
}

// Drop tells the process that a broadcast is released.
func (s *slot) Drop(id engine.BroadcastID) {
	if c := s.current(); c != nil && c.alive() {
		c.send.Drop(id)
	}
}

// Close ends the process, which has no task. It may take StopGrace to close what its operations have cached.
func (s *slot) Close() error {
	if c := s.current(); c != nil {
		c.end(s.options.StopGrace)
	}
	return nil
}
