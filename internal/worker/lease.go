package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrGivenUp is a Lease's answer where nobody wants the job's results any more.
var ErrGivenUp = errors.New("the driver gave the job up, or ended")

// Lease asks whether a job is still wanted. It fails with ErrGivenUp where it is not; any other failure says that
// nothing was learned, and does not end the worker.
type Lease struct {
	Ask   func(ctx context.Context) error
	Every time.Duration // between two questions
}

// RegisterLease tells workers how to read Task.Lease. An engine calls it in init whose driver can't end its workers, as
// none can under Spark: there the end of a job reaches neither the process nor its streams.
func RegisterLease(open func(conf json.RawMessage, job string) (Lease, error)) {
	if openLease != nil {
		panic("two kinds of leases are registered")
	}
	openLease = open
}

var openLease func(conf json.RawMessage, job string) (Lease, error)

// hold asks, as long as the worker lives, whether the first task's job is wanted, and ends the worker where it is not:
// it cancels the task, and after the grace gives the process up.
func (w *server) hold(t Task) {
	if w.held || t.Lease == nil {
		return
	}
	w.held = true
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var lease Lease
		err := errors.New("this program has no engine that knows of leases")
		if openLease != nil {
			lease, err = openLease(t.Lease, t.Job)
		}
		if err != nil {
			w.streams.Log.Write(fmt.Appendf(nil, "dl4go: the worker can't ask whether its job is wanted: %v\n", err))
			return
		}
		for {
			select {
			case <-time.After(lease.Every):
			case <-w.over:
				return
			}
			if err := lease.Ask(ctx); errors.Is(err, ErrGivenUp) {
				w.giveUpJob(err, t.Grace)
				return
			}
		}
	}()
}

func (w *server) giveUpJob(err error, grace time.Duration) {
	w.mu.Lock()
	w.given = err
	stop := w.stop
	w.mu.Unlock()
	if stop != nil {
		stop(err)
	}
	select {
	case <-time.After(grace):
		w.giveUp(err)
	case <-w.over:
	}
}
