package mlflow

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/elsewhere"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// Tracker sends a run to the server in the background, so that training never waits for it. If the server does not
// respond, it tries again with all figures up to then. It is a [train.Tracker], of one run.
//
// The latest figures of a run contain all earlier ones, so only the latest are kept.
type Tracker struct {
	Settings
	// Keep is the .json file to which the run is written at its end if the server lacks part of it. Kept, if not
	// empty, is a file that has the run anyway.
	Keep, Kept string

	mu     sync.Mutex
	latest snapshot
	err    error         // of the last attempt
	wake   chan struct{} // has an element if latest is new
	done   chan struct{} // is closed when everything is sent, or given up
	stop   func()        // gives up
	stall  *time.Timer   // gives up on a run that is over; nil before
}

// TrackerOf returns the tracker of a run, by its experiment and the environment. The file for what the server lacks is
// beside save, the run's model file. stats is the run's file of statistics, or empty.
func TrackerOf(experiment, save, stats string, getenv func(string) string) (t *Tracker, err error) {
	t = &Tracker{Keep: strings.TrimSuffix(save, filepath.Ext(save)) + "-mlflow.json"}
	if strings.EqualFold(filepath.Ext(stats), ".json") {
		t.Kept = stats
	}
	t.Settings, err = FromEnvironment(experiment, getenv)
	return t, err
}

// How long the end of a run waits for a server that does not respond, and how often it tries.
const (
	patience  = 30 * time.Second
	lastTries = 4
)

// retry is the time before attempt n, from 1.
func retry(n int) time.Duration { return min(time.Second<<min(n-1, 6), time.Minute) }

// Track hands the figures to the background. The last call waits until they are sent, as long as the server responds.
func (t *Tracker) Track(ctx context.Context, p train.Progress) error {
	s := snapshot{run: p.Run, status: running}
	switch {
	case p.Ended:
		s.status = finished
	case p.Interrupted:
		s.status = killed
	case p.Failed != nil:
		s.status, s.reason = failed, p.Failed.Error()
	}
	if p.Over() && p.Model != "" {
		s.model = describe(p)
	}
	t.mu.Lock()
	if t.wake == nil {
		t.start()
	}
	t.latest = s
	err := t.err
	if p.Over() {
		t.stall = time.AfterFunc(patience, t.stop)
	}
	t.mu.Unlock()
	select {
	case t.wake <- struct{}{}:
	default:
	}
	if !p.Over() {
		return t.about(err)
	}
	defer t.stop()
	defer t.stall.Stop()
	select {
	case <-t.done:
	case <-ctx.Done():
		t.stop()
		<-t.done
	}
	if t.err != nil {
		return t.keep(t.about(t.err))
	}
	return nil
}

// about adds the server to an error.
func (t *Tracker) about(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("MLflow at %s: %w", t.Server, err)
}

// keep writes the run to a file for dl4go report.
func (t *Tracker) keep(err error) error {
	file := t.Kept
	if file == "" {
		var e error
		if file, e = elsewhere.Keep(t.latest.run, t.Keep); e != nil {
			return fmt.Errorf("%w; %w", err, e)
		}
	}
	return fmt.Errorf("%w; this sends the rest later: dl4go report --to mlflow --experiment %s %s", err,
		quoted(t.Experiment), quoted(file))
}

// quoted returns a word quoted for a shell.
func quoted(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./:=@", c))
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// start starts the sending goroutine.
func (t *Tracker) start() {
	t.wake, t.done = make(chan struct{}, 1), make(chan struct{})
	var ctx context.Context
	ctx, t.stop = context.WithCancel(context.Background())
	r := &recording{Settings: t.Settings, progress: t.answered}
	go t.send(ctx, r)
}

// answered extends the deadline of a server that responds.
func (t *Tracker) answered() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stall != nil {
		t.stall.Reset(patience)
	}
}

// send sends new figures until the run is over.
func (t *Tracker) send(ctx context.Context, r *recording) {
	defer close(t.done)
	again := time.NewTimer(0)
	<-again.C
	last := 0 // number of attempts for a run that is over
	for tries := 0; ; {
		select {
		case <-t.wake:
		case <-again.C:
		case <-ctx.Done():
			t.failed(context.Cause(ctx))
			return
		}
		t.mu.Lock()
		s := t.latest
		t.mu.Unlock()
		err := r.update(ctx, s)
		t.failed(err)
		over := s.status != running
		if err == nil {
			tries = 0
			if over {
				return
			}
			continue
		}
		tries++
		if over {
			if last++; last == lastTries || !temporary(err) || ctx.Err() != nil {
				return
			}
			tries = last
		}
		again.Reset(retry(tries))
	}
}

// failed records the error of the last attempt. A cancellation does not hide the error before it.
func (t *Tracker) failed(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !errors.Is(err, context.Canceled) {
		t.err = err
	} else if t.err == nil {
		t.err = errors.New("it does not answer in time")
	}
}

// Send sends to the server what it lacks of a finished run.
func Send(ctx context.Context, to Settings, run stats.Run) error {
	r := &recording{Settings: to, progress: func() {}}
	s := snapshot{run: run, status: finished}
	if run.Failure != "" {
		s.status, s.reason = failed, run.Failure
	}
	if err := r.update(ctx, s); err != nil {
		return fmt.Errorf("MLflow at %s: %w", to.Server, err)
	}
	return nil
}
