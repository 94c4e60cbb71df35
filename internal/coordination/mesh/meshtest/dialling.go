package meshtest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// dialErrors checks that a Dial that fails does so in time, and that its error names the address.
func dialErrors(s *suite) {
	c, w := s.transport(mesh.Coordinator, mesh.Options{}), s.transport(mesh.Worker, mesh.Options{})
	l, gone := s.listen(w), s.listen(c)
	gone.Close()
	dialler := s.transport(mesh.Worker, mesh.Options{Dial: 2 * time.Second})
	check := func(what, address string, err error) {
		s.Helper()
		if link := new(mesh.LinkError); !errors.As(err, &link) || !strings.Contains(err.Error(), address) {
			s.Errorf("%s: error %v", what, err)
		}
		s.Logf("%s: %v", what, err)
	}
	dial := func(to mesh.Role, address string) error {
		_, err := wait(s, "the end of Dial",
			later(func() (mesh.Conn, error) { return dialler.Dial(s.Context(), to, address) }))
		return err
	}
	check("nobody listens", gone.Address(), dial(mesh.Coordinator, gone.Address()))
	check("a worker listens where the coordinator should", l.Address(), dial(mesh.Coordinator, l.Address()))
	ended, cancel := context.WithCancel(s.Context())
	cancel()
	_, err := dialler.Dial(ended, mesh.Worker, l.Address())
	check("the context has ended", l.Address(), err)
	// Workers find each other. A slow machine may take longer for that than the dialler above waits.
	a, b := s.connect(s.transport(mesh.Worker, mesh.Options{}), mesh.Worker, l)
	if err := exchange(b, a, 3); err != nil {
		s.Error(err)
	}
}

// listenerClose checks that accepted links outlive their listener.
func listenerClose(s *suite) {
	c, w := s.transport(mesh.Coordinator, mesh.Options{}), s.transport(mesh.Worker, mesh.Options{})
	impatient := s.transport(mesh.Worker, mesh.Options{Dial: 2 * time.Second})
	l := s.listen(c)
	a, b := s.connect(w, mesh.Coordinator, l)
	accepting := later(func() (mesh.Conn, error) { return l.Accept() })
	l.Close()
	if _, err := wait(s, "the end of Accept", accepting); !errors.Is(err, mesh.ErrClosed) {
		s.Errorf("Accept gave %v", err)
	}
	if _, err := impatient.Dial(s.Context(), mesh.Coordinator, l.Address()); err == nil {
		s.Error("who does not listen is reached")
	}
	if err := exchange(a, b, 20); err != nil {
		s.Error(err)
	}
	if err := l.Close(); err != nil {
		s.Error(err)
	}
}

// links checks that a listener refuses links beyond Options.Links, until one has ended.
func links(s *suite) {
	const most = 3
	c, w := s.transport(mesh.Coordinator, mesh.Options{Links: most}), s.transport(mesh.Worker, mesh.Options{})
	l := s.listen(c)
	var ends []mesh.Conn
	for range most {
		a, b := s.connect(w, mesh.Coordinator, l)
		ends = append(ends, a, b)
	}
	if _, err := w.Dial(s.Context(), mesh.Coordinator, l.Address()); err == nil ||
		!strings.Contains(err.Error(), "3 links already") {
		s.Errorf("one link too many gave %v", err)
	}
	ends[0].Abort()
	ends[1].Abort()
	got := later(func() (mesh.Conn, error) { return l.Accept() })
	await.Until(s.T, "there is room for a link again", func() (any, bool) {
		_, err := w.Dial(s.Context(), mesh.Coordinator, l.Address())
		return err, err == nil
	})
	if _, err := s.soon(got); err != nil {
		s.Error(err)
	}
}

// manyPeers checks that the links of many peers are independent of each other.
func manyPeers(s *suite) {
	const peers, count = 40, 25
	c := s.transport(mesh.Coordinator, mesh.Options{})
	l := s.listen(c)
	var answers []chan result[int]
	served := later(func() (int, error) {
		for range peers {
			conn, err := l.Accept()
			if err != nil {
				return 0, err
			}
			go func() {
				for {
					m, err := receive(conn)
					if err == nil {
						err = conn.Send(m)
					}
					if err != nil {
						conn.Abort()
						return
					}
				}
			}()
		}
		return peers, nil
	})
	for peer := range peers {
		// One after the other: a slow machine can't do all handshakes in the time that each has.
		conn, err := s.transport(mesh.Worker, mesh.Options{}).Dial(s.Context(), mesh.Coordinator, l.Address())
		if err != nil {
			s.Fatal(err)
		}
		answers = append(answers, later(func() (int, error) {
			for n := range count {
				want := &coordination.State{ID: uint32(peer), State: make([]byte, n*100)}
				if err := conn.Send(want); err != nil {
					return n, err
				}
				if m, err := receive(conn); err != nil || !same(m, want) {
					return n, errors.Join(err, errors.New("what came back is not what was sent"))
				}
			}
			conn.Close()
			return count, nil
		}))
	}
	for peer, a := range answers {
		if n, err := wait(s, "a peer's end", a); err != nil {
			s.Errorf("peer %d, message %d: %v", peer, n, err)
		}
	}
	if _, err := wait(s, "the end of accepting", served); err != nil {
		s.Error(err)
	}
}
