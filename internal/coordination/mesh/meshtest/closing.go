package meshtest

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// bothWays runs a test twice: a is first the dialling end, then the accepting end.
func bothWays(s *suite, o mesh.Options, test func(t *testing.T, a, b mesh.Conn)) {
	for _, dialler := range []bool{true, false} {
		name := "accepted"
		if dialler {
			name = "dialled"
		}
		s.T.Run(name, func(t *testing.T) {
			a, b := s.link(o)
			if !dialler {
				a, b = b, a
			}
			test(t, a, b)
		})
	}
}

// closing checks that all messages before a Close arrive, then io.EOF, and that Close returns.
func closing(s *suite) {
	bothWays(s, mesh.Options{Linger: time.Hour}, func(t *testing.T, a, b mesh.Conn) {
		mine := receiving(a)
		const count = 8
		closed := later(func() (int, error) {
			for n := range count {
				if err := a.Send(message(n)); err != nil {
					return n, err
				}
			}
			a.Close()
			return count, nil
		})
		for n := range count {
			if m, err := wait(s, "a message", receiving(b)); err != nil || !same(m, message(n)) {
				t.Fatalf("message %d: %v, %v", n, m, err)
			}
		}
		if m, err := wait(s, "the end", receiving(b)); err != io.EOF {
			t.Fatalf("after the last message comes %v, error %v", m, err)
		}
		b.Abort() // as a Host does at the end
		if _, err := wait(s, "the end of Close, though the peer had taken all", closed); err != nil {
			t.Fatal(err)
		}
		if m, err := wait(s, "the end of the closing end's Receive", mine); err == nil {
			t.Errorf("an end that was closed received %v", m)
		}
		if err := a.Send(message(1)); err == nil {
			t.Error("an end that was closed sends")
		}
	})
}

// closeBoth: two ends that close at the same time do not wait for each other.
func closeBoth(s *suite) {
	a, b := s.link(mesh.Options{Linger: time.Hour})
	for _, c := range []mesh.Conn{a, b} {
		if err := c.Send(message(2)); err != nil {
			s.Fatal(err)
		}
	}
	closing := func(c mesh.Conn) chan result[int] {
		return later(func() (int, error) { c.Close(); return 0, nil })
	}
	for _, end := range []chan result[int]{closing(a), closing(b)} {
		if _, err := wait(s, "the end of Close, though both ends close", end); err != nil {
			s.Error(err)
		}
	}
}

// closeUnread: a Close does not wait forever for a peer that takes nothing.
func closeUnread(s *suite) {
	bothWays(s, mesh.Options{Linger: 200 * time.Millisecond}, func(t *testing.T, a, b mesh.Conn) {
		if err := a.Send(message(1)); err != nil {
			t.Fatal(err)
		}
		if _, err := wait(s, "the end of Close", later(func() (int, error) { a.Close(); return 0, nil })); err != nil {
			t.Fatal(err)
		}
	})
}

// abort checks that Abort ends the other end, and all operations of its own end.
func abort(s *suite) {
	bothWays(s, mesh.Options{}, func(t *testing.T, a, b mesh.Conn) {
		mine, theirs := receiving(a), receiving(b)
		a.Abort()
		if m, err := wait(s, "the end of Receive", mine); err == nil || errors.Is(err, io.EOF) {
			t.Errorf("an end that was given up received %v, %v", m, err)
		}
		m, err := wait(s, "the end of the peer's Receive", theirs)
		if link := new(mesh.LinkError); !errors.As(err, &link) || link.Peer == "" {
			t.Errorf("the peer of an end that was given up received %v, %v", m, err)
		}
		await.Until(t, "the peer cannot send", func() (any, bool) {
			err := b.Send(message(1))
			return err, err != nil
		})
		if a.Send(message(1)) == nil {
			t.Error("an end that was given up sends")
		}
		a.Abort()
		b.Abort()
		b.Close()
	})
}

// death checks that when a process ends, all its links end, and it can't be dialled.
func death(s *suite) {
	c := s.transport(mesh.Coordinator, mesh.Options{})
	l := s.listen(c)
	w1, w2 := s.transport(mesh.Worker, mesh.Options{}), s.transport(mesh.Worker, mesh.Options{})
	a1, b1 := s.connect(w1, mesh.Coordinator, l)
	a2, b2 := s.connect(w2, mesh.Coordinator, l)
	at := receiving(b1)
	w1.Close()
	if _, err := wait(s, "the end of a dead worker's link", at); err == nil || errors.Is(err, io.EOF) {
		s.Errorf("a dead worker's link gave %v", err)
	}
	if err := exchange(a2, b2, 10); err != nil {
		s.Errorf("the other worker's link: %v", err)
	}
	at = receiving(a2)
	c.Close()
	if _, err := wait(s, "the end of a dead coordinator's link", at); err == nil {
		s.Error("a dead coordinator sends")
	}
	if _, err := w2.Dial(s.Context(), mesh.Coordinator, l.Address()); err == nil {
		s.Error("a dead coordinator is reached")
	}
	if _, err := w1.Dial(s.Context(), mesh.Coordinator, l.Address()); err == nil {
		s.Error("a dead worker dials")
	}
	if _, err := c.Listen(mesh.Place{}); !errors.Is(err, mesh.ErrClosed) {
		s.Errorf("a dead coordinator listens, error %v", err)
	}
	if _, err := l.Accept(); !errors.Is(err, mesh.ErrClosed) {
		s.Errorf("a dead coordinator accepts, error %v", err)
	}
	a1.Abort()
}
