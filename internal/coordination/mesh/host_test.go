package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
)

// scripted is a machine whose steps a test writes.
type scripted struct {
	step   func(e coordination.Event) []coordination.Action
	inside atomic.Int32
	last   coordination.Time
	t      *testing.T
}

func (s *scripted) Step(now coordination.Time, e coordination.Event) []coordination.Action {
	if s.inside.Add(1) != 1 {
		s.t.Error("two events at once")
	}
	defer s.inside.Add(-1)
	if now < s.last {
		s.t.Errorf("the clock went back from %v to %v", s.last, now)
	}
	s.last = now
	return s.step(e)
}

// start runs a host.
func start(t *testing.T, c Config) (*Host, chan error) {
	t.Helper()
	c.Log, c.Options = silent, patient(c.Options)
	h, err := NewHost(c)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- h.Run(t.Context()) }()
	return h, done
}

// each runs a test with both transports.
func each(t *testing.T, o Options, test func(t *testing.T, open func(Role) Transport)) {
	o.Log = silent
	t.Run("memory", func(t *testing.T) {
		net := NewMemory()
		test(t, func(r Role) Transport { return net.Transport(r, patient(o)) })
	})
	t.Run("secure", func(t *testing.T) {
		pair := testPair(t, testJob)
		test(t, func(r Role) Transport { return testSecure(t, pair.of(r), o) })
	})
}

// TestHostLinks checks that links are numbered and reported as the machines expect. A Log is followed by Sent, and
// Close takes effect after the messages sent before it.
func TestHostLinks(t *testing.T) {
	each(t, Options{}, func(t *testing.T, open func(Role) Transport) {
		before := runtime.NumGoroutine()
		c, w := open(Coordinator), open(Worker)
		l, err := c.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		const count = 50
		var heard, told []string
		left := coordination.Link(0)
		server := &scripted{t: t, step: func(e coordination.Event) []coordination.Action {
			switch e := e.(type) {
			case coordination.Tick, coordination.Alive:
				return nil
			case coordination.Received:
				heard = append(heard, fmt.Sprintf("received %T by %d", e.Message, e.Link))
				if _, leaves := e.Message.(*coordination.Leave); leaves {
					left = e.Link
				}
				return []coordination.Action{coordination.Send{Link: e.Link, Message: &coordination.Pulse{}},
					coordination.Send{Link: 77, Message: &coordination.Pulse{}}}
			default:
				heard = append(heard, fmt.Sprintf("%T%v", e, e))
				if b, ok := e.(coordination.Broken); ok && b.Link == left {
					return []coordination.Action{coordination.ShutDown{}}
				}
			}
			return nil
		}}
		first := true
		client := &scripted{t: t, step: func(e coordination.Event) (do []coordination.Action) {
			switch e := e.(type) {
			case coordination.Tick:
				if first {
					do = append(do, coordination.Dial{Link: 1, Address: l.Address()},
						coordination.Dial{Link: 3, Address: "127.0.0.1:1"}, coordination.Dial{Link: 5, Address: l.Address()},
						coordination.Close{Link: 5})
					first = false
				}
			case coordination.Connected:
				told = append(told, fmt.Sprintf("%T%v", e, e))
				for range count {
					do = append(do, coordination.Send{Link: 1,
						Message: &coordination.Log{Entries: []*coordination.Entry{{Kind: coordination.UpdateEntry,
							Payload: make([]byte, 10_000)}}}})
				}
				do = append(do, coordination.Send{Link: 1, Message: &coordination.Beat{}})
			case coordination.Sent:
				told = append(told, "sent")
			case coordination.Received:
				told = append(told, "received")
			case coordination.Broken:
				told = append(told, fmt.Sprintf("%T%v", e, e))
			}
			if len(told) == 1+count+count+1+1 { // connected, sent, received, broken
				do = append(do, coordination.Send{Link: 1, Message: &coordination.Leave{Reason: "done"}},
					coordination.Close{Link: 1}, coordination.Done{})
			}
			return do
		}}
		_, served := start(t, Config{Machine: server, Transport: c, Listener: l})
		h, done := start(t, Config{Machine: client, Transport: w, Coordinator: l.Address()})
		for what, end := range map[string]chan error{"the client": done, "the server": served} {
			if err := await.From(t, what, end); err != nil {
				t.Error(err)
			}
		}
		c.Close()
		w.Close()
		tally := map[string]int{}
		for _, s := range append(heard, told...) {
			tally[s]++
		}
		link := ""
		for s := range tally { // the link of the abandoned dial may also have been accepted and broken
			if strings.HasPrefix(s, "received *coordination.Log by ") {
				link = strings.TrimPrefix(s, "received *coordination.Log by ")
			}
		}
		for s, n := range map[string]int{
			"received *coordination.Log by " + link: count, "received *coordination.Beat by " + link: 1,
			"received *coordination.Leave by " + link: 1,
			"coordination.Accepted{" + link + "}":     1, "coordination.Broken{" + link + " false}": 1,
			"coordination.Connected{1}": 1, "coordination.Broken{3 true}": 1, "sent": count, "received": count + 1,
			"coordination.Broken{1 false}": 0, "coordination.Broken{5 false}": 0, "coordination.Connected{5}": 0} {
			if tally[s] != n {
				t.Errorf("%s: %d times, not %d", s, tally[s], n)
			}
		}
		if link != "2" && link != "4" {
			t.Errorf("an accepted link has the number %s", link)
		}
		if sent, received := h.Traffic(); sent < count*10_000 || received == 0 {
			t.Errorf("the client sent %d bytes and received %d", sent, received)
		}
		await.Goroutines(t, before)
	})
}

// lateDial is a transport whose dials succeed only after release, though their contexts have ended.
type lateDial struct {
	Transport
	dialling, release chan struct{}
}

func (d *lateDial) Dial(_ context.Context, to Role, address string) (Conn, error) {
	close(d.dialling)
	<-d.release
	return d.Transport.Dial(context.Background(), to, address)
}

// TestHostGivesUpDial checks that a host that ends while dialling closes the link it then gets. The peer must see a
// normal end and no error.
func TestHostGivesUpDial(t *testing.T) {
	each(t, Options{}, func(t *testing.T, open func(Role) Transport) {
		c, w := open(Coordinator), open(Worker)
		defer c.Close()
		defer w.Close()
		l, err := c.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		late := &lateDial{w, make(chan struct{}), make(chan struct{})}
		first := true
		client := &scripted{t: t, step: func(coordination.Event) []coordination.Action {
			if !first {
				return nil
			}
			first = false
			return []coordination.Action{coordination.Dial{Link: 1, Address: l.Address()}, coordination.Done{}}
		}}
		_, done := start(t, Config{Machine: client, Transport: late, Coordinator: l.Address()})
		await.From(t, "the dial", late.dialling)
		close(late.release)
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if m, err := conn.Receive(func() {}); !errors.Is(err, io.EOF) {
			t.Errorf("the peer received %v and the error %v, not the end of the link", m, err)
		}
		conn.Close()
		if err := await.From(t, "the client", done); err != nil {
			t.Error(err)
		}
	})
}

// lonely runs the only worker of a job.
func lonely(t *testing.T, transport Transport, address string, timing coordination.Timing,
	train func(context.Context, coordination.Train) coordination.Trained) chan error {
	t.Helper()
	w, err := coordination.NewWorker(coordination.WorkerConfig{Job: testJob, Nonce: 7, Coordinator: address,
		Timing: timing,
		Shares: []coordination.Share{{Minibatches: 5}}}, &toy{})
	if err != nil {
		t.Fatal(err)
	}
	_, done := start(t, Config{Machine: w, Transport: transport, Coordinator: address, Tick: timing.Beat / 2, Train: train,
		Options: Options{Linger: 300 * time.Millisecond}})
	return done
}

func notTrained(context.Context, coordination.Train) coordination.Trained {
	return coordination.Trained{}
}

// TestHostOrphan checks that a worker that doesn't find its coordinator ends with an error that names the address and
// the cause. The clock stands while the worker dials.
func TestHostOrphan(t *testing.T) {
	each(t, Options{}, func(t *testing.T, open func(Role) Transport) {
		c := open(Coordinator)
		l, err := c.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		address := l.Address()
		if _, _, err := net.SplitHostPort(address); err == nil {
			address = "127.0.0.1:1" // nothing will listen there
		}
		synctest.Test(t, func(t *testing.T) {
			w := open(Worker)
			defer w.Close()
			err := <-lonely(t, w, address, coordination.DefaultTiming(), notTrained)
			if link := new(LinkError); !errors.As(err, &link) || !strings.Contains(err.Error(), address) ||
				!strings.Contains(err.Error(), "nobody listens") {
				t.Errorf("the error is %v", err)
			}
			t.Log(err)
		})
	})
}

// TestHostCancel checks that a coordinator whose context ends dismisses its workers. It does not wait for a step that
// takes too long.
func TestHostCancel(t *testing.T) {
	each(t, Options{}, func(t *testing.T, open func(Role) Transport) {
		before := runtime.NumGoroutine()
		tc, tw := open(Coordinator), open(Worker)
		l, err := tc.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		c, err := coordination.NewCoordinator(coordination.Config{Job: testJob, Term: 1, Partitions: 1, Timing: quick()},
			&model{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		h, err := NewHost(Config{Machine: c, Transport: tc, Listener: l, Options: patient(Options{}), Log: silent})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- h.Run(ctx) }()
		h.Post(coordination.Open{Begin: true, Params: vector{}.bytes()})
		training, release := make(chan bool), make(chan bool)
		done := lonely(t, tw, l.Address(), quick(), func(context.Context, coordination.Train) coordination.Trained {
			training <- true
			<-release
			return coordination.Trained{}
		})
		<-training
		why := errors.New("the user has had enough")
		cancel(why)
		if err := await.From(t, "the coordinator", ended); !errors.Is(err, why) {
			t.Errorf("the coordinator's error is %v", err)
		}
		if err := await.From(t, "the worker", done); err == nil || !strings.Contains(err.Error(), "left behind") {
			t.Errorf("the worker's error is %v", err)
		}
		close(release)
		tc.Close()
		tw.Close()
		await.Goroutines(t, before)
	})
}

// TestHostStuck checks that a host ends even if its peer reads none of the remaining messages.
func TestHostStuck(t *testing.T) {
	each(t, Options{Linger: 300 * time.Millisecond}, func(t *testing.T, open func(Role) Transport) {
		before := runtime.NumGoroutine()
		tc, tw := open(Coordinator), open(Worker)
		l, err := tc.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		accepted := make(chan Conn, 1)
		go func() {
			c, _ := l.Accept()
			accepted <- c
		}()
		began := false
		m := &scripted{t: t, step: func(e coordination.Event) (do []coordination.Action) {
			switch e.(type) {
			case coordination.Tick:
				if !began {
					began = true
					return []coordination.Action{coordination.Dial{Link: 1, Address: l.Address()}}
				}
			case coordination.Connected:
				for range 100 {
					do = append(do, coordination.Send{Link: 1, Message: &coordination.State{State: make([]byte, 100_000)}})
				}
				return append(do, coordination.Close{Link: 1}, coordination.ShutDown{})
			}
			return nil
		}}
		_, done := start(t, Config{Machine: m, Transport: tw, Coordinator: l.Address(),
			Options: Options{Linger: 300 * time.Millisecond}})
		if err := await.From(t, "the host", done); err != nil {
			t.Error(err)
		}
		(<-accepted).Abort()
		tc.Close()
		tw.Close()
		await.Goroutines(t, before)
	})
}

// TestTooLong checks that a message that is too long for the transport ends the host with an error that says so. A new
// link would not help.
func TestTooLong(t *testing.T) {
	each(t, Options{}, func(t *testing.T, open func(Role) Transport) {
		tc, tw := open(Coordinator), open(Worker)
		defer tc.Close()
		defer tw.Close()
		l, err := tc.Listen(Place{})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			c, err := l.Accept()
			for err == nil {
				_, err = c.Receive(func() {})
			}
			c.Abort()
		}()
		began, left := false, false
		m := &scripted{t: t, step: func(e coordination.Event) []coordination.Action {
			switch e.(type) {
			case coordination.Tick:
				if !began {
					began = true
					return []coordination.Action{coordination.Dial{Link: 1, Address: l.Address()}}
				}
			case coordination.Connected:
				return []coordination.Action{coordination.Send{Link: 1, Message: &coordination.State{State: make([]byte, 257<<20)}}}
			case coordination.Shut:
				left = true
			}
			return nil
		}}
		_, done := start(t, Config{Machine: m, Transport: tw, Coordinator: l.Address(),
			Options: Options{Linger: 100 * time.Millisecond}})
		tooLong := (*lengthError)(nil)
		if err := await.From(t, "the host", done); !errors.As(err, &tooLong) ||
			!strings.Contains(err.Error(), "MaxMessage") || !left {
			t.Errorf("the error is %v, the machine was told: %v", err, left)
		}
	})
}
