package meshtest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// mostUnderWay bounds the bytes of messages on their way to a peer that takes none.
const mostUnderWay = 8 << 20

// slowReceiver checks that a sender waits for a receiver that takes no messages, and that all messages arrive in the
// end.
func slowReceiver(s *suite) {
	bothWays(s, mesh.Options{}, func(t *testing.T, a, b mesh.Conn) {
		const size, count = 100_000, 200
		payload := make([]byte, size)
		var sent atomic.Int64
		done := later(func() (int, error) {
			for n := range count {
				if err := a.Send(&coordination.State{ID: uint32(n), State: payload}); err != nil {
					return n, err
				}
				sent.Add(1)
			}
			return count, nil
		})
		last, since := int64(-1), time.Now()
		await.Until(t, "the sender waits", func() (any, bool) {
			if n := sent.Load(); n != last {
				last, since = n, time.Now()
			}
			return last, time.Since(since) > 300*time.Millisecond
		})
		if last*size > mostUnderWay {
			t.Errorf("%d messages of %d bytes were sent to a peer that takes none", last, size)
		}
		for n := range count {
			m, err := wait(s, "a message", receiving(b))
			if err != nil {
				t.Fatal(err)
			}
			if got := m.(*coordination.State).ID; got != uint32(n) {
				t.Fatalf("message %d came in place of %d", got, n)
			}
		}
		if _, err := wait(s, "the end of sending", done); err != nil {
			t.Error(err)
		}
	})
}

// impatience checks that a sender gives up a peer that takes no data for too long.
func impatience(s *suite) {
	bothWays(s, mesh.Options{Patience: 300 * time.Millisecond}, func(t *testing.T, a, b mesh.Conn) {
		payload := make([]byte, 1<<20)
		_, err := wait(s, "the end of sending", later(func() (int, error) {
			for n := 0; ; n++ {
				if err := a.Send(&coordination.State{State: payload}); err != nil {
					return n, err
				}
			}
		}))
		if link := new(mesh.LinkError); !errors.As(err, &link) || link.Peer == "" {
			t.Errorf("a peer that takes nothing gave %v", err)
		}
	})
}
