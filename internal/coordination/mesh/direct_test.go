package mesh

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"testing"
	"unsafe"

	"github.com/dl4go/dl4go/internal/coordination"
)

// localLink opens a link over a Unix socket. It returns the worker's end as a wire, and the coordinator's as a Conn.
func localLink(t *testing.T, o Options) (*wire, Conn) {
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		t.Fatal(err)
	}
	o.Log = silent
	c := testSecure(t, pair.Coordinator, o)
	t.Cleanup(func() { c.Close() })
	l, err := c.Listen(Place{Local: true})
	if err != nil {
		t.Fatal(err)
	}
	id, err := newIdentity(pair.Worker)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := dial(t.Context(), l.Address())
	if err != nil {
		t.Fatal(err)
	}
	w := newWire(tls.Client(underTLS(raw), id.client(Coordinator)))
	if err := errors.Join(w.Conn.HandshakeContext(t.Context()), w.hears(context.Background())); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var taken [directHeader]byte
	if _, err := io.ReadFull(w, taken[:]); err != nil || taken != [directHeader]byte{} {
		t.Fatalf("the link is not taken: %v, %v", taken, err)
	}
	return w, conn
}

// TestDirectHostile: a process of the job that sends invalid bytes breaks only its own link, and is told the reason.
func TestDirectHostile(t *testing.T) {
	if !HasLocal() {
		return // there are no such listeners then
	}
	frame := coordination.Encode(nil, testJob, &coordination.Update{Payload: make([]byte, 100)})
	changed := bytes.Clone(frame)
	changed[50]++
	head := func(size, shift uint64) []byte { return binary.LittleEndian.AppendUint64(nil, size|shift<<56) }
	for _, test := range []struct {
		name, want string
		bytes      []byte
	}{
		{"too long", "at most 1000 are allowed", head(1001, 0)},
		{"of a length that no machine has", "at most 1000 are allowed", head(1<<56-1, 0)},
		{"out of alignment", "bytes of room", head(10, 64)},
		{"cut", errBroken.Error(), append(head(uint64(len(frame)), 0), frame[:20]...)},
		{"cut in its header", errBroken.Error(), head(5, 0)[:3]},
		{"changed", "checksum", append(head(uint64(len(changed)), 3), changed...)},
		{"of nothing", "it ends too early", append(head(1, 0), 7)},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, conn := localLink(t, Options{MaxMessage: 1000})
			if _, err := w.Write(test.bytes); err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(test.name, "cut") {
				w.Close()
			}
			m, err := conn.Receive(func() {})
			if link := new(LinkError); !errors.As(err, &link) || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("it received %v, %v", m, err)
			}
			if strings.HasPrefix(test.name, "cut") {
				return
			}
			if _, err := w.Read(make([]byte, 1)); err == nil {
				t.Error("the link still lives")
			}
		})
	}
}

// TestDirectAligned: the longest vector of a message is not copied after it was received.
func TestDirectAligned(t *testing.T) {
	if !HasLocal() {
		return
	}
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		t.Fatal(err)
	}
	c, w := testSecure(t, pair.Coordinator, Options{}), testSecure(t, pair.Worker, Options{})
	defer c.Close()
	defer w.Close()
	l, err := c.Listen(Place{Local: true})
	if err != nil {
		t.Fatal(err)
	}
	far, err := w.Dial(t.Context(), Coordinator, l.Address())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	for size := 16 << 10; size < 16<<10+8; size++ {
		want := bytes.Repeat([]byte{byte(size)}, size)
		sent := make(chan error)
		go func() { sent <- conn.Send(&coordination.Part{Index: uint32(1 << (size % 32)), Payload: want}) }()
		m, err := far.Receive(func() {})
		if err := errors.Join(err, <-sent); err != nil {
			t.Fatal(err)
		}
		got := m.(*coordination.Part).Payload
		if !bytes.Equal(got, want) || uintptr(unsafe.Pointer(unsafe.SliceData(got)))%alignment != 0 {
			t.Errorf("%d bytes arrive at %p", size, got)
		}
	}
}
