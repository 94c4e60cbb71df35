package process

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestSoon: an event is waited for a second, and no longer than it takes.
func TestSoon(t *testing.T) {
	for takes, want := range map[time.Duration]bool{0: true, 950 * time.Millisecond: true,
		1050 * time.Millisecond: false} {
		synctest.Test(t, func(t *testing.T) {
			done, begun := make(chan struct{}), time.Now()
			go func() {
				time.Sleep(takes)
				close(done)
			}()
			if got, took := soon(done), time.Since(begun); got != want || took != min(takes, time.Second) {
				t.Errorf("an event after %v came: %v, found after %v", takes, got, took)
			}
			<-done
		})
	}
}
