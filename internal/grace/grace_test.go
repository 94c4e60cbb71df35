package grace

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestExtend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		longer, cancel := Extend(ctx, time.Second)
		defer cancel()
		time.Sleep(time.Hour)
		end()
		time.Sleep(time.Second - 1)
		if err := longer.Err(); err != nil {
			t.Errorf("it has ended with its parent: %v", err)
		}
		time.Sleep(2 * time.Nanosecond)
		if longer.Err() == nil {
			t.Error("it goes on")
		}
	})
}

// TestNothingStays: synctest fails if a goroutine is left.
func TestNothingStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(context.Background())
		_, cancel := Extend(ctx, time.Hour)
		end()
		synctest.Wait()
		cancel()
	})
}
