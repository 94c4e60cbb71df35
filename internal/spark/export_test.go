package spark

import (
	"context"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Lose makes Spark lose the kept rows of a data set, as if executors were lost.
func Lose(e engine.Engine, d *engine.Dataset) error {
	s := e.(*Engine)
	c, err := s.acquire(context.Background())
	if err != nil {
		return err
	}
	defer c.release()
	return c.session.Unpersist(context.Background(), *s.kept[d].persisted, true)
}

// AskSoon switches to a new session whose workers check the heartbeat more often.
func AskSoon(e engine.Engine, every time.Duration) error {
	e.(*Engine).asking = every
	return Renew(e)
}

// Live makes an engine record now that its driver is alive.
func Live(ctx context.Context, e engine.Engine) error { return e.(*Engine).live(ctx) }

// BeforeSweep has an engine call f when the removal of a save that was given up has dropped the directory, and begins
// to watch for late tasks.
func BeforeSweep(e engine.Engine, f func()) { e.(*Engine).sweeping = f }

// Renew switches to a new session.
func Renew(e engine.Engine) error {
	s := e.(*Engine)
	s.carrier.sent.Store(carrierBytes)
	c, err := s.acquire(context.Background())
	if err == nil {
		c.release()
	}
	return err
}

// Forgets reports whether the server can't release a session on request.
func Forgets(e engine.Engine) bool {
	return strings.HasPrefix(e.(*Engine).carrier.session.Version(), "3.")
}

// Mark returns the name of a file that exists on each executor only in the folder of the engine's session.
func Mark(e engine.Engine) string { return e.(*Engine).carrier.mark }

// FillServer makes sure that no more artifacts stay on the server.
func FillServer(e engine.Engine) {
	s := e.(*Engine)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onServer = serverBytes
}

// SessionID returns the server's name for the current session.
func SessionID(e engine.Engine) string { return e.(*Engine).carrier.session.ID() }

// IsProgram reports whether a file may be a program that was sent.
func IsProgram(path string) bool { return isProgram(path) }
