package spark

import (
	"context"

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

// FillServer has no artifact stay on the server from now on.
func FillServer(e engine.Engine) {
	s := e.(*Engine)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.onServer = serverBytes
}
