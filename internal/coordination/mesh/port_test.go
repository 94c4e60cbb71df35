package mesh

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// TestPortKeepsJobsApart checks that at a shared port, a connection reaches only its own job.
func TestPortKeepsJobsApart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := NewPort(l, l.Addr().String(), patient(Options{Log: silent}))
	defer port.Close()
	var pairs []Pair
	var listeners []Listener
	for i := range 2 {
		pair, err := Issue(Terms{Job: coordination.JobID{'p', byte(i)}})
		if err != nil {
			t.Fatal(err)
		}
		s := testSecure(t, pair.Coordinator, Options{Port: port, Log: silent})
		defer s.Close()
		at, err := s.Listen(Place{Port: 1})
		if err != nil || at.Address() != port.Address() {
			t.Fatalf("it listens at %v, %v", at, err)
		}
		pairs, listeners = append(pairs, pair), append(listeners, at)
	}
	if _, err := testSecure(t, pairs[0].Coordinator, Options{Port: port, Log: silent}).Listen(Place{}); err == nil ||
		!strings.Contains(err.Error(), "listens at this port already") {
		t.Errorf("a second coordinator of a job: %v", err)
	}
	meet := func(i int) error {
		w := testSecure(t, pairs[i].Worker, Options{Log: silent})
		defer w.Close()
		c, err := w.Dial(t.Context(), Coordinator, port.Address())
		if err != nil {
			return err
		}
		defer c.Abort()
		other, err := listeners[i].Accept()
		if err != nil {
			return err
		}
		defer other.Abort()
		if err := c.Send(&coordination.Leave{Reason: "it was nice"}); err != nil {
			return err
		}
		m, err := other.Receive(func() {})
		if leave, ok := m.(*coordination.Leave); err != nil || !ok || leave.Reason != "it was nice" {
			return errors.New("another message came")
		}
		return nil
	}
	for i := range pairs {
		if err := meet(i); err != nil {
			t.Errorf("job %d: %v", i, err)
		}
	}

	// Connect to the second job with the first job's certificate, with no certificate, and under unknown names.
	mine, err := newIdentity(pairs[0].Worker)
	if err != nil {
		t.Fatal(err)
	}
	knock := func(name string, certificates ...tls.Certificate) {
		t.Helper()
		c, err := tls.DialWithDialer(&net.Dialer{Timeout: attackTime}, "tcp", port.Address(), &tls.Config{ServerName: name,
			InsecureSkipVerify: true, NextProtos: []string{"h2"}, Certificates: certificates})
		if err != nil {
			return
		}
		defer c.Close()
		c.SetDeadline(time.Now().Add(attackTime))
		if n, err := io.Copy(io.Discard, c); err == nil || n > 0 {
			t.Errorf("%q: %d bytes came, %v", name, n, err)
		}
	}
	second := certified(Coordinator, pairs[1].Coordinator.Job)
	knock(second, mine.certificate)
	knock(second)
	knock("")
	knock(certified(Worker, pairs[0].Worker.Job), mine.certificate)

	// A finished job is not reachable any more. The other one is.
	listeners[0].Close()
	if err := meet(0); err == nil {
		t.Error("a job that is over was reached")
	}
	if err := meet(1); err != nil {
		t.Errorf("the other job: %v", err)
	}
}

// TestPortOfControl tests the control links at a job's port. The port waits for the other side's first byte.
func TestPortOfControl(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := NewPort(l, l.Addr().String(), patient(Options{Log: silent}))
	pair, err := Issue(Terms{Job: coordination.JobID{'c'}})
	if err != nil {
		t.Fatal(err)
	}
	at, err := port.ListenControl(pair.Coordinator)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		c, err := at.Accept()
		if err == nil {
			_, err = c.Write([]byte("hello"))
			c.Close()
		}
		served <- err
	}()
	c, err := pair.Worker.DialControl(t.Context(), port.Address(), attackTime)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(c); string(b) != "hello" {
		t.Errorf("%q, %v", b, err)
	}
	c.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
	// A transport's link is not taken for a control link.
	w := testSecure(t, pair.Worker, Options{Log: silent})
	defer w.Close()
	if _, err := w.Dial(t.Context(), Coordinator, port.Address()); err == nil {
		t.Error("a link of another protocol was taken")
	}
	port.Close()
	if _, err := at.Accept(); err == nil {
		t.Error("a closed port gives a connection")
	}
	if _, err := port.ListenControl(pair.Coordinator); !errors.Is(err, ErrClosed) {
		t.Errorf("at a closed port: %v", err)
	}
}
