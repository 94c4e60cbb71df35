package process

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/grace"
	"github.com/dl4go/dl4go/internal/worker"
)

// child is a worker process.
type child struct {
	process *os.Process
	silence time.Duration
	stdin   *os.File
	stdout  *os.File
	send    *worker.Sender
	receive *worker.Receiver
	log     *relay
	ended   chan struct{} // closed when the process has ended
	status  int           // its exit status, see worker.Ending; set before ended is closed
	silent  atomic.Bool   // it was killed for its silence
	spoke   bool          // it has answered
	reading sync.Mutex    // held while stdout is being read
	ending  sync.Once

	// told counts the tasks of all the engine's processes. An answer to another task is not accepted for this one,
	// whichever process gives it, even if the partitions have the same number.
	told *atomic.Int64
}

func start(o Options, told *atomic.Int64, log *slog.Logger) (*child, error) {
	path, err := worker.Executable()
	if err != nil {
		return nil, err
	}
	var ours, theirs [3]*os.File
	closeAll := func(files [3]*os.File) {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return nil, err
		}
		ours[i], theirs[i] = r, w
		if i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	widen(ours[0])
	widen(ours[1])
	cmd := exec.Command(path)
	cmd.Args[0] = os.Args[0]
	cmd.Env = append(os.Environ(), engine.WorkerVariable+"="+o.framing().Protocol())
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
	endWithThread(cmd)
	c := &child{silence: o.Silence, told: told, stdin: ours[0], stdout: ours[1], ended: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The thread that starts the process must live as long as the process: see endWithThread.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		c.process = cmd.Process
		started <- err
		if err == nil {
			cmd.Wait()
			c.status = status(cmd.ProcessState)
			close(c.ended)
		}
	}()
	err = <-started
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
		return nil, err
	}
	c.log = newRelay(ours[2], log.With("pid", c.process.Pid))
	c.send = worker.NewSender(c.stdin, o.framing())
	c.receive = worker.NewReceiver(patient{c}, o.framing())
	return c, nil
}

func (c *child) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// end tells the process to end, kills it after a while, and returns when it has ended. It reports whether no call of
// end came before.
func (c *child) end(wait time.Duration) (first bool) {
	c.ending.Do(func() {
		first = true
		c.stdin.Close()
		if wait > 0 {
			grace.Await(c.ended, wait)
		}
		c.process.Kill()
		<-c.ended
		read := make(chan struct{})
		go func() {
			c.reading.Lock()
			defer c.reading.Unlock()
			close(read)
		}()
		if !grace.Await(read, soon) { // a child of the process holds it open
			c.stdout.Close()
			<-read
		}
		c.stdout.Close()
		c.log.end()
	})
	return first
}

// kill kills the process and closes its pipes, so that everybody who waits for it goes on.
func (c *child) kill() {
	c.process.Kill()
	c.stdin.Close()
	c.stdout.Close()
}

// patient reads the process's output, and kills the process if it is silent for too long.
type patient struct{ c *child }

func (p patient) Read(b []byte) (int, error) {
	silence := grace.NewLimit(p.c.silence, func() {
		p.c.silent.Store(true)
		p.c.kill()
	})
	defer silence.Stop()
	return p.c.stdout.Read(b)
}

// do runs a task in the process. fit reports whether the process can run another one.
func (c *child) do(t worker.Task, in engine.Rows, out engine.Writer) (fit bool, err error) {
	c.log.task(t)
	t.Number, t.Attempt = t.Attempt, int(c.told.Add(1))
	feed := c.feed(t, in)
	answered := false
	c.reading.Lock()
	err = c.answer(t, out, &answered)
	c.reading.Unlock()
	c.spoke = c.spoke || answered
	if wrong := (*worker.OutputError)(nil); errors.As(err, &wrong) {
		wrong.Attempt = t.Number
	}
	failure := (*worker.Failure)(nil)
	failed := errors.As(err, &failure)
	if err != nil && !answered {
		err = &engine.StepError{Step: t.Name(), Cause: c.explain(err)}
	}
	stuck := grace.NewLimit(c.silence, c.kill)
	if err := feed.stop(answered); err != nil {
		return false, err
	}
	if failed {
		return stuck.Stop() && !failure.Panic, failure.Unwrap()
	}
	return stuck.Stop() && err == nil, err
}

// answer reads the rows and the commit.
func (c *child) answer(t worker.Task, out engine.Writer, answered *bool) error {
	verify := worker.NewVerifier(t.Partition, t.Attempt)
	for {
		r, err := c.receive.Next()
		if err != nil {
			return verify.End(err)
		}
		whole, ok, err := verify.Add(r)
		if err != nil {
			failure := (*worker.Failure)(nil)
			*answered = errors.As(err, &failure)
			return err
		}
		if !ok {
			continue
		}
		switch whole.Kind {
		case worker.Row:
			if err := out.Write(engine.Row{Index: whole.Index, Bytes: whole.Data}); err != nil {
				*answered = true
				c.kill()
				return err
			}
		case worker.Commit:
			*answered = true
			return nil
		default:
			return verify.End(fmt.Errorf("a record of kind %q came out of place", whole.Kind))
		}
	}
}

// explain adds what is known about the process to an error of its answer, and kills the process.
func (c *child) explain(err error) error {
	if c.silent.Load() {
		<-c.ended
		return fmt.Errorf("worker process %d said nothing for %v, and was killed", c.process.Pid, c.silence)
	}
	how, advice := "went wrong", ""
	garbage := (*worker.FramingError)(nil)
	isFraming := errors.As(err, &garbage)
	if errors.Is(err, worker.ErrNoCommit) || isFraming && garbage.Cut {
		how = "closed its output and went on"
		if exiting(c.process.Pid) || grace.Await(c.ended, soon) {
			<-c.ended
			c.end(0) // and the last lines have arrived
			how, advice = worker.Ending(c.status, c.log.last())
		}
	}
	c.end(0)
	err = fmt.Errorf("worker process %d %s: %w", c.process.Pid, how, err)
	if isFraming && !garbage.Cut && !c.spoke {
		err = fmt.Errorf("%w (was engine.Main called first in this program's main function?)", err)
	}
	if last := c.log.last(); last != "" {
		err = fmt.Errorf("%w; the last that it printed: %s", err, last)
	}
	if advice != "" {
		err = fmt.Errorf("%w. %s", err, advice)
	}
	return err
}

// soon is how long a process's ends may take that should come at once.
const soon = time.Second

// feeder sends a task to the process.
type feeder struct {
	quit atomic.Bool
	done chan struct{}
	err  error // of the rows' source
	sent bool
	c    *child
}

func (c *child) feed(t worker.Task, in engine.Rows) *feeder {
	f := &feeder{done: make(chan struct{}), c: c}
	go func() {
		defer close(f.done)
		if c.send.Job(t) != nil {
			return // the reader of the answer will see the error
		}
		for !f.quit.Load() {
			row, err := in.Next()
			if err == io.EOF {
				f.sent = c.send.Commit() == nil
				return
			}
			if err != nil {
				f.err = err
				c.kill()
				return
			}
			if c.send.Write(row) != nil {
				return
			}
		}
	}()
	return f
}

// stop waits until no more rows are read. If the process is to go on, stop sends it the end of the rows. Otherwise the
// process has ended.
func (f *feeder) stop(goesOn bool) error {
	f.quit.Store(true)
	<-f.done
	if goesOn && !f.sent && f.err == nil {
		f.c.send.Stop()
	}
	return f.err
}
