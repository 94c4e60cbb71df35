// Package meshtest is a suite of tests for the contract of mesh.Transport.
package meshtest

import (
	"runtime"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// Network makes the transports of a test's processes, all in one job.
type Network func(r mesh.Role, o mesh.Options) mesh.Transport

// Run runs the suite. Each test has a network of its own.
func Run(t *testing.T, network func(t *testing.T) Network) {
	for _, c := range []struct {
		name string
		test func(*suite)
	}{
		{"Order", order}, {"Large", large}, {"TooLong", tooLong},
		{"Close", closing}, {"CloseBoth", closeBoth}, {"CloseUnread", closeUnread}, {"Abort", abort}, {"Death", death},
		{"SlowReceiver", slowReceiver}, {"Impatience", impatience},
		{"DialErrors", dialErrors}, {"ListenerClose", listenerClose}, {"Links", links}, {"ManyPeers", manyPeers},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			s := &suite{T: t, network: network(t)}
			c.test(s)
			for _, end := range s.transports {
				if err := end.Close(); err != nil {
					t.Error(err)
				}
			}
			// Goroutines that a test leaves behind stay longer than its other goroutines need to end.
			await.Goroutines(t, before)
		})
	}
}

// suite is a test with its transports.
type suite struct {
	*testing.T
	network    Network
	transports []mesh.Transport
}

// transport makes a transport. Limits that the options do not set are an hour: no test depends on them.
func (s *suite) transport(r mesh.Role, o mesh.Options) mesh.Transport {
	for _, d := range []*time.Duration{&o.Dial, &o.Patience, &o.Linger, &o.Handshake, &o.Alive} {
		if *d == 0 {
			*d = time.Hour
		}
	}
	t := s.network(r, o)
	s.transports = append(s.transports, t)
	return t
}

func (s *suite) listen(t mesh.Transport) mesh.Listener {
	s.Helper()
	l, err := t.Listen(mesh.Place{Host: "127.0.0.1"})
	if err != nil {
		s.Fatal(err)
	}
	return l
}

// link returns both ends of a link between a coordinator, which listens, and a worker.
func (s *suite) link(o mesh.Options) (worker, coordinator mesh.Conn) {
	s.Helper()
	c := s.transport(mesh.Coordinator, o)
	l := s.listen(c)
	return s.connect(s.transport(mesh.Worker, o), mesh.Coordinator, l)
}

func (s *suite) connect(t mesh.Transport, to mesh.Role, l mesh.Listener) (dialled, accepted mesh.Conn) {
	s.Helper()
	got := later(func() (mesh.Conn, error) { return l.Accept() })
	dialled, err := t.Dial(s.Context(), to, l.Address())
	if err != nil {
		s.Fatal(err)
	}
	accepted, err = s.soon(got)
	if err != nil {
		s.Fatal(err)
	}
	return dialled, accepted
}

// result is the result of a background function.
type result[T any] struct {
	value T
	err   error
}

func later[T any](do func() (T, error)) chan result[T] {
	c := make(chan result[T], 1)
	go func() {
		v, err := do()
		c <- result[T]{v, err}
	}()
	return c
}

func (s *suite) soon(c chan result[mesh.Conn]) (mesh.Conn, error) {
	s.Helper()
	return wait(s, "a link", c)
}

func wait[T any](s *suite, what string, c chan result[T]) (T, error) {
	s.Helper()
	r := await.From(s, what, c)
	return r.value, r.err
}

func receive(c mesh.Conn) (coordination.Message, error) { return c.Receive(func() {}) }

// receiving receives a message in the background.
func receiving(c mesh.Conn) chan result[coordination.Message] {
	return later(func() (coordination.Message, error) { return receive(c) })
}
