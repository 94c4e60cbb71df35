package spark

import (
	"context"
	"strings"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// Lose has Spark forget the rows of a data set that it keeps, as if executors were lost.
func Lose(e engine.Engine, d *engine.Dataset) error {
	s := e.(*Engine)
	c, err := s.acquire(context.Background())
	if err != nil {
		return err
	}
	defer c.release()
	return c.session.Unpersist(context.Background(), *s.kept[d].persisted, true)
}

// AskSoon goes over to a new session, whose workers ask more often whether their jobs are wanted.
func AskSoon(e engine.Engine, every time.Duration) error {
	e.(*Engine).asking = every
	return Renew(e)
}

// Live has an engine say now that its run lives.
func Live(ctx context.Context, e engine.Engine) error { return e.(*Engine).live(ctx) }

// Renew goes over to a new session.
func Renew(e engine.Engine) error {
	s := e.(*Engine)
	s.carrier.sent.Store(carrierBytes)
	c, err := s.acquire(context.Background())
	if err == nil {
		c.release()
	}
	return err
}

// Forgets says whether the server can't release a session when it is told to.
func Forgets(e engine.Engine) bool {
	return strings.HasPrefix(e.(*Engine).carrier.session.Version(), "3.")
}

// Mark is a file that only the folder of the engine's session has, on each executor.
func Mark(e engine.Engine) string { return e.(*Engine).carrier.mark }

// FillServer has no artifact stay on the server from now on.
func FillServer(e engine.Engine) {
	s := e.(*Engine)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onServer = serverBytes
}

// SessionID is the server's name for the session of now.
func SessionID(e engine.Engine) string { return e.(*Engine).carrier.session.ID() }

// IsProgram says whether a file is a program that may have been sent.
func IsProgram(path string) bool { return isProgram(path) }
