package mesh

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestNear checks that a worker of the same machine reaches another one at its Unix socket, with certificates as
// elsewhere. A process that finds no such socket, as on another machine, reaches it by TCP.
func TestNear(t *testing.T) {
	if !HasLocal() {
		return // there are no such listeners then
	}
	pair, err := Issue(Terms{Job: testJob})
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Log: silent}
	w := testSecure(t, pair.Worker, o)
	defer w.Close()
	l, err := w.Listen(Place{Near: true})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(Far(l.Address()), "127.0.0.1:") {
		t.Errorf("the address is %s", l.Address())
	}
	for _, c := range []struct {
		address string
		direct  bool
	}{{l.Address(), true}, {nearScheme + "@dl4go/mesh/elsewhere," + Far(l.Address()), false}, {Far(l.Address()), false}} {
		sent, err := w.Dial(t.Context(), Worker, c.address)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, direct := got.(*direct); direct != c.direct {
			t.Errorf("%s: by a Unix socket: %v", c.address, direct)
		}
		if err := sent.Send(&coordination.Leave{Reason: "hello"}); err != nil {
			t.Error(err)
		}
		go sent.Close()
		if m, err := got.Receive(func() {}); err != nil || m.(*coordination.Leave).Reason != "hello" {
			t.Errorf("received %v, %v", m, err)
		}
		if _, err := got.Receive(func() {}); !errors.Is(err, io.EOF) {
			t.Errorf("the end is %v", err)
		}
		got.Abort()
	}
	stranger, err := Issue(Terms{Job: testJob})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := testSecure(t, stranger.Worker, o).Dial(t.Context(), Worker, l.Address()); err == nil {
		t.Error("a process with other certificates was accepted")
	}
	l.Close()
	if _, err := l.Accept(); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
