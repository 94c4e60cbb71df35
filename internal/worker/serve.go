package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Streams are a worker's input, output and log.
type Streams struct {
	In  io.Reader
	Out io.Writer
	Log io.Writer // lines, see Logger
}

// Serve does the incoming tasks one after the other, until the input ends. It returns the failure of the last task if
// another attempt may succeed: a permanent failure is an answer like any other. It calls giveUp for an attempt that
// does not end in time; the process should end then. settle is for [engine.Process].
func Serve(s Streams, f Framing, giveUp func(error), settle func(threads int) string) error {
	w := &server{
		streams: s, in: NewReceiver(s.In, f), out: NewSender(s.Out, f), giveUp: giveUp,
		tasks: make(chan received), over: make(chan struct{}), broadcasts: newBroadcasts(),
		process: engine.Process{Slots: 1, Settle: settle},
	}
	go w.receive()
	defer close(w.over)
	defer w.drop("")
	var last error
	for t := range w.tasks {
		w.heed(t.Task)
		last = w.serve(t)
		if err := w.out.Flush(); err != nil {
			return err
		}
		if err := w.givenUp(); err != nil {
			return err
		}
		if t.Answer {
			last = nil
		}
	}
	if last == nil {
		last = w.broken
	}
	if engine.IsPermanent(last) {
		return nil
	}
	return last
}

// server has two goroutines: one reads tasks, the other one runs them.
type server struct {
	*broadcasts
	streams Streams
	in      *Receiver
	out     *Sender
	giveUp  func(error)
	cache   engine.Cache
	process engine.Process
	tasks   chan received
	over    chan struct{}
	broken  error // why the input is damaged; set before tasks is closed
	heeds   bool  // the heartbeat is watched

	mu    sync.Mutex
	stop  context.CancelCauseFunc // cancels the running task
	given error                   // why the job was given up
}

func (w *server) givenUp() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.given
}

// Cache holds values that the worker's tasks built.
func (w *server) Cache() *engine.Cache { return &w.cache }

// Process holds the state that the process's tasks share: there is one task at a time.
func (w *server) Process() *engine.Process { return &w.process }

// drop forgets a value that was released, and everything built from it. For the empty ID, it clears the caches.
func (w *server) drop(id engine.BroadcastID) {
	if id == "" {
		w.cache.Clear()
		w.process.Cache.Clear()
		return
	}
	w.cache.Drop(id)
	w.process.Cache.Drop(id)
	w.forget(id)
}

// serve runs a task and sends its answer.
func (w *server) serve(t received) error {
	if t.Output != nil {
		t.Partition = *t.Output
	}
	if t.Released != nil && release != nil {
		release(t.Released)
	}
	w.out.Begin(t.Partition, t.Attempt)
	if t.Header {
		w.out.Header()
	}
	err := t.err
	if err == nil {
		err = checkBuild(t.Build)
	}
	if err != nil {
		err = engine.Permanent(fmt.Errorf("the worker can't do what the driver wants: %w", err))
	} else {
		err = w.run(t)
	}
	t.rows.leave()
	if err == nil {
		return w.out.Commit()
	}
	w.drop("")
	err = &taskError{t.Partition, t.number(), hostname(), t.Job, err}
	return errors.Join(err, w.out.Fail(FailureOf(err)))
}

var hostname = sync.OnceValue(func() string {
	name, _ := os.Hostname()
	return name
})

func checkBuild(want string) error {
	if want == "" {
		return nil
	}
	have, err := Build()
	if err == nil && have != want {
		err = fmt.Errorf("it is build %.12s, the driver is build %.12s: both must be the same program", have, want)
	}
	return err
}

// run does a task within its deadline. If the task ignores its cancelled context, run gives the process up after the
// grace.
func (w *server) run(t received) error {
	ctx := t.rows.ctx
	if t.Deadline > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, t.Deadline,
			fmt.Errorf("the attempt took longer than %v", t.Deadline))
		defer cancel()
		ctx = limited
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	w.mu.Lock()
	w.stop = stop
	given := w.given
	w.mu.Unlock()
	if given != nil {
		return given
	}
	defer w.sayAlive(t.AliveEvery)()
	w.find(t.Broadcasts, t.Sums)
	log := Logger(w.streams.Log, t.Log)
	if t.LogRows { // with LogRows, log records come with the output, unless the process dies
		printTask(w.streams.Log, t.Task)
		log = rowLogger(w.out, t.Log).With("host", hostname())
	}
	if t.Job != "" {
		log = log.With("job", t.Job)
	}
	result := make(chan error, 1)
	go func() {
		// This error remains if an operation ends its goroutine.
		err := errors.New("the operation ended its goroutine")
		defer func() { result <- err }()
		err = t.Run(ctx, w, log, t.rows, w.out)
	}()
	select {
	case err := <-result:
		return err
	case <-ctx.Done():
	}
	late := time.AfterFunc(t.Grace, func() {
		w.giveUp(fmt.Errorf("partition %d, attempt %d: %w, and it does not heed Task.Context", t.Partition, t.number(),
			context.Cause(ctx)))
	})
	defer late.Stop()
	return <-result
}

// sayAlive sends Alive records until stop is called.
func (w *server) sayAlive(every time.Duration) (stop func()) {
	if every == 0 {
		return func() {}
	}
	ticker := time.NewTicker(every)
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-ticker.C:
				w.out.Alive()
			case <-quit:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(quit)
		<-done
	}
}
