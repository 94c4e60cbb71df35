// Package await lets tests wait for events in other processes, servers and goroutines. The only time limit ends a test
// that hangs, so no test depends on the speed of the machine.
package await

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// hangs is the time after which a test that waits is taken to hang. No machine is so slow: no wait of the suite takes a
// minute on a machine with other work.
const hangs = time.Hour

// last is how long before the end of the test binary's time a wait is given up, so that the error can say what it
// waited for.
const last = 10 * time.Second

// Until returns when enough is there. It polls, because the change sends no signal. If enough never comes, the test
// fails with what was there at last.
func Until(t testing.TB, what string, look func() (there any, enough bool)) {
	t.Helper()
	limit := Deadline(t)
	pause := time.NewTimer(0)
	defer pause.Stop()
	for wait := time.Millisecond; ; wait = min(2*wait, 50*time.Millisecond) {
		there, enough := look()
		if enough {
			return
		}
		if time.Now().After(limit) {
			t.Fatalf("waited for %s: the test hangs, with %v\n\n%s", what, there, stacks())
		}
		pause.Reset(wait)
		<-pause.C
	}
}

// Goroutines returns when no more than so many goroutines are left.
func Goroutines(t testing.TB, most int) {
	t.Helper()
	Until(t, "goroutines to end", func() (any, bool) {
		n := runtime.NumGoroutine()
		return n, n <= most
	})
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
		t.Fatalf("waited for %s: the test hangs\n\n%s", what, stacks())
		panic("not reached")
	}
}

// stacks returns what all goroutines are doing.
func stacks() []byte {
	all := make([]byte, 1<<20)
	return all[:runtime.Stack(all, true)]
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
