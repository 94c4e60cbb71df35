package grace

import (
	"context"
	"sync"
	"time"
)

// steps is the number of parts in which the time of a [Limit] passes.
const steps = 20

// Limit is a time limit that a pause of this process does not use up: the time passes in steps, and a pause is one of
// them at most. Stop must be called.
type Limit struct {
	mu    sync.Mutex
	timer *time.Timer
	step  time.Duration
	left  int // steps; 0: it is over or stopped
	over  func()
}

// NewLimit calls over, in a goroutine of its own, when d has passed.
func NewLimit(d time.Duration, over func()) *Limit {
	l := &Limit{step: max(1, d/steps), left: steps, over: over}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.timer = time.AfterFunc(l.step, l.pass)
	return l
}

func (l *Limit) pass() {
	l.mu.Lock()
	if l.left == 0 {
		l.mu.Unlock()
		return
	}
	l.left--
	ended := l.left == 0
	if !ended {
		l.timer.Reset(l.step)
	}
	l.mu.Unlock()
	if ended {
		l.over()
	}
}

// Stop reports whether it came before the end of the limit. Then over is not called any more.
func (l *Limit) Stop() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	early := l.left > 0
	l.left = 0
	l.timer.Stop()
	return early
}

// WithLimit returns a context that ends with the cause when d has passed. Call cancel when the work is done.
func WithLimit(ctx context.Context, d time.Duration, cause error) (_ context.Context, cancel context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	l := NewLimit(d, func() { end(cause) })
	return ctx, func() {
		l.Stop()
		end(nil)
	}
}

// Await reports whether done is closed before d has passed.
func Await(done <-chan struct{}, d time.Duration) bool {
	late := make(chan struct{})
	l := NewLimit(d, func() { close(late) })
	defer l.Stop()
	select {
	case <-done:
		return true
	case <-late:
	}
	select {
	case <-done: // both have come
		return true
	default:
		return false
	}
}
