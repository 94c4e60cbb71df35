package meshtest

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dl4go/dl4go/internal/coordination"
	"github.com/dl4go/dl4go/internal/coordination/mesh"
)

// message returns the nth message of a sequence. It has several kinds, and some long messages.
func message(n int) coordination.Message {
	fill := func(size int) []byte { return bytes.Repeat([]byte{byte(n)}, size) }
	switch n % 5 {
	case 0:
		return &coordination.Update{Peer: coordination.Peer{Worker: 1, Incarnation: 2}, Seq: uint64(n),
			Payload: fill(n * 37 % 9000)}
	case 1:
		return &coordination.Beat{Received: uint64(n), Applied: uint64(n)}
	case 2:
		return &coordination.Log{First: uint64(n), Entries: []*coordination.Entry{
			{Kind: coordination.UpdateEntry, Seq: uint64(n), Payload: fill(n)}, {Kind: coordination.UpdateEntry, Seq: 7,
				Payload: fill(n * 911 % 400_000)}}}
	case 3:
		return &coordination.Pulse{Head: uint64(n)}
	}
	return &coordination.State{ID: uint32(n), State: fill(n % 3)}
}

// same compares messages by their encoding.
func same(a, b coordination.Message) bool {
	return reflect.TypeOf(a) == reflect.TypeOf(b) && bytes.Equal(coordination.Encode(nil, coordination.JobID{}, a),
		coordination.Encode(nil, coordination.JobID{}, b))
}

// exchange sends a sequence in one direction and checks that it arrives.
func exchange(from, to mesh.Conn, count int) error {
	sent := later(func() (int, error) {
		for n := range count {
			if err := from.Send(message(n)); err != nil {
				return n, err
			}
		}
		return count, nil
	})
	kept := make([]coordination.Message, 0, count) // a receiver may keep messages: they must not change
	for n := range count {
		m, err := receive(to)
		if err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
		kept = append(kept, m)
	}
	for n, m := range kept {
		if !same(m, message(n)) {
			return fmt.Errorf("message %d is a %T of %d bytes, which was not sent there", n, m, coordination.Size(m))
		}
	}
	return (<-sent).err
}

// order checks that messages arrive in the order of sending, in both directions at once.
func order(s *suite) {
	w, c := s.link(mesh.Options{})
	const count = 300
	up := later(func() (int, error) { return 0, exchange(w, c, count) })
	down := later(func() (int, error) { return 0, exchange(c, w, count) })
	for _, d := range []chan result[int]{up, down} {
		if _, err := wait(s, "a sequence", d); err != nil {
			s.Error(err)
		}
	}
}

// large checks that a long message arrives whole, and that the next one follows it.
func large(s *suite) {
	w, c := s.link(mesh.Options{})
	state := make([]byte, 20<<20)
	for i := range state {
		state[i] = byte(i >> 8 * 7)
	}
	for _, d := range [][2]mesh.Conn{{w, c}, {c, w}} {
		sent := later(func() (int, error) {
			return 0, errors.Join(d[0].Send(&coordination.State{ID: 1, State: state}), d[0].Send(message(1)))
		})
		m, err := wait(s, "a long message", receiving(d[1]))
		if err != nil {
			s.Fatal(err)
		}
		if got, ok := m.(*coordination.State); !ok || !bytes.Equal(got.State, state) {
			s.Fatalf("a %T came, with other contents", m)
		}
		if m, err := wait(s, "the message after a long one", receiving(d[1])); err != nil || !same(m, message(1)) {
			s.Fatal(m, err)
		}
		if _, err := wait(s, "the end of sending", sent); err != nil {
			s.Fatal(err)
		}
	}
}

// tooLong checks that Send refuses a message longer than MaxMessage.
func tooLong(s *suite) {
	w, c := s.link(mesh.Options{MaxMessage: 10_000})
	for _, conn := range []mesh.Conn{w, c} {
		err := conn.Send(&coordination.State{State: make([]byte, 10_001)})
		if link := new(mesh.LinkError); !errors.As(err, &link) || !strings.Contains(err.Error(), "10000 are allowed") {
			s.Errorf("a message that is too long gave %v", err)
		}
	}
}
