package grace

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimit: a limit is over after its time, unless it was stopped before.
func TestLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over, cause := 0, errors.New("it takes too long")
		first := NewLimit(time.Minute, func() { over++ })
		second := NewLimit(time.Minute, func() { t.Error("it was stopped") })
		ctx, cancel := WithLimit(t.Context(), time.Minute, cause)
		defer cancel()
		time.Sleep(time.Minute - 1)
		if over > 0 || ctx.Err() != nil || !second.Stop() {
			t.Error("it is over too early")
		}
		time.Sleep(2 * time.Nanosecond)
		synctest.Wait()
		if over != 1 || context.Cause(ctx) != cause || first.Stop() {
			t.Errorf("it was over %d times, and the context ended with %v", over, context.Cause(ctx))
		}
	})
}

// TestPause: a step that comes late, as after a pause of the process, uses up no more than itself.
func TestPause(t *testing.T) {
	over := 0
	l := NewLimit(steps*time.Hour, func() { over++ })
	defer l.Stop()
	for range steps - 1 {
		l.pass()
	}
	if over > 0 {
		t.Fatal("it is over before its last step")
	}
	for range 2 {
		l.pass()
	}
	if over != 1 {
		t.Errorf("it was over %d times", over)
	}
}

// TestAwait: something that has ended counts, even if the time is over as well.
func TestAwait(t *testing.T) {
	done := make(chan struct{})
	if Await(done, 1) {
		t.Error("it has come")
	}
	close(done)
	for range 1000 {
		if !Await(done, 1) {
			t.Fatal("it has not come")
		}
	}
}
