package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// ErrGivenUp is a Heartbeat's answer if the driver no longer wants the job's results.
var ErrGivenUp = errors.New("the driver gave the job up, or ended")

// Heartbeat asks whether a job is still wanted. It fails with ErrGivenUp if it is not. Any other error means that there
// was no answer, and does not end the worker.
type Heartbeat struct {
	Ask   func(ctx context.Context) error
	Every time.Duration // between two questions
}

// RegisterHeartbeat tells workers how to read Task.Heartbeat. An engine calls it in init if its driver can't end its
// workers. That is so under Spark: there the end of a job reaches neither the process nor its streams.
func RegisterHeartbeat(open func(conf json.RawMessage, job string) (Heartbeat, error)) {
	if openHeartbeat != nil {
		panic("two kinds of heartbeats are registered")
	}
	openHeartbeat = open
}

var openHeartbeat func(conf json.RawMessage, job string) (Heartbeat, error)

// WatchHeartbeat shows the tests of the registered engine the answers to workers. They call it in init.
func WatchHeartbeat(answered func(error)) {
	open := openHeartbeat
	openHeartbeat = func(conf json.RawMessage, job string) (Heartbeat, error) {
		h, err := open(conf, job)
		ask := h.Ask
		h.Ask = func(ctx context.Context) error {
			err := ask(ctx)
			answered(err)
			return err
		}
		return h, err
	}
}

// heed keeps asking whether the first task's job is wanted. If it is not, heed cancels the task, and ends the process
// after the grace.
func (w *server) heed(t Task) {
	if w.heeds || t.Heartbeat == nil {
		return
	}
	w.heeds = true
	go func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		var heartbeat Heartbeat
		err := errors.New("this program has no engine that knows of heartbeats")
		if openHeartbeat != nil {
			heartbeat, err = openHeartbeat(t.Heartbeat, t.Job)
		}
		if err != nil {
			w.streams.Log.Write(fmt.Appendf(nil, "dl4go: the worker can't ask whether its job is wanted: %v\n", err))
			return
		}
		for {
			select {
			case <-time.After(heartbeat.Every):
			case <-w.over:
				return
			}
			if err := heartbeat.Ask(ctx); errors.Is(err, ErrGivenUp) {
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
