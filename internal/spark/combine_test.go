package spark

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// stuck never ends, unless it heeds its context.
var stuck = engine.Register("spark.stuck", func(t *engine.Task, heeds bool, in engine.Rows, out engine.Writer) error {
	for range engine.All(in) {
	}
	if heeds {
		<-t.Context().Done()
		return context.Cause(t.Context())
	}
	<-let
	return nil
})

// let ends the operations that ignore their contexts.
var let chan struct{}

// TestCombiningEnds checks that combining rows in the driver has the deadline of a task and ends with its job.
func TestCombiningEnds(t *testing.T) { synctest.Test(t, combiningEnds) }

func combiningEnds(t *testing.T) {
	let = make(chan struct{})
	defer close(let)
	e := bareEngine(t)
	e.options = engine.Options{TaskDeadline: 30 * time.Millisecond, StopGrace: 30 * time.Millisecond,
		Log: slog.New(slog.DiscardHandler)}
	rows := []engine.Row{engine.Unindexed([]byte("a")), engine.Unindexed([]byte("b"))}
	for _, heeds := range []bool{true, false} {
		_, err := e.combineOnce(t.Context(), engine.Mapped{Step: stuck.With(heeds), Combine: true}, rows, 1)
		if err == nil || !engine.IsPermanent(err) || !strings.Contains(err.Error(), "longer than 30ms") {
			t.Errorf("heeding %v: %v", heeds, err)
		}
	}
	e.options.TaskDeadline = time.Hour
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(10*time.Millisecond, func() { cancel(errClosed) })
	if _, err := e.combineOnce(ctx, engine.Mapped{Step: stuck.With(true), Combine: true}, rows,
		1); !errors.Is(err, errClosed) {
		t.Errorf("a job that is closed: %v", err)
	}
}
