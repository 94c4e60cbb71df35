// Package await lets tests wait for events in other processes, servers and goroutines. The only time limit ends a test
// that hangs, so no test depends on the speed of the machine.
package await

import (
	"context"
	"testing"
	"time"
)

// hangs is the time after which a test that waits is taken to hang. It is not meant for slow machines.
const hangs = 20 * time.Minute

// last is how long before the end of the test binary's time a wait is given up, so that the error can say what it
// waited for.
const last = 10 * time.Second

// Until returns when the condition holds. It polls, because the condition's change sends no signal.
func Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	limit := Deadline(t)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for wait := time.Millisecond; !holds(); wait = min(2*wait, 50*time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited for %s: the test hangs", what)
		}
		pause.Reset(wait)
		<-pause.C
	}
}

// From receives from a channel.
func From[T any](t testing.TB, what string, c <-chan T) T {
	t.Helper()
	hung := time.NewTimer(time.Until(Deadline(t)))
	defer hung.Stop()
	select {
	case v := <-c:
		return v
	case <-hung.C:
		t.Fatalf("waited for %s: the test hangs", what)
		panic("not reached")
	}
}

// Context is done when the test hangs, or has ended.
func Context(t testing.TB) context.Context {
	ctx, cancel := context.WithDeadline(t.Context(), Deadline(t))
	t.Cleanup(cancel)
	return ctx
}

// Deadline returns the time at which a test that waits from now on hangs.
func Deadline(t testing.TB) time.Time {
	limit := time.Now().Add(hangs)
	if t, ok := t.(interface{ Deadline() (time.Time, bool) }); ok {
		if end, ok := t.Deadline(); ok && end.Add(-last).Before(limit) {
			return end.Add(-last)
		}
	}
	return limit
}
