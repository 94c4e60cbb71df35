package mesh

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

const (
	testWorkers     = 4
	testMinibatches = 60
	testEpochs      = 2
	testRounds      = 3
)

var testJob = gradshare.JobID{'t', 'e', 's', 't'}

// process is a worker with all that is its own.
type process struct {
	toy       *toy
	transport Transport
	host      *Host
	cancel    context.CancelCauseFunc
	done      chan error
}

// testRun is a coordinator and its workers.
type testRun struct {
	t           *testing.T
	transport   func(Role) Transport
	mode        gradshare.Mode
	fanout      int
	padding     int
	address     string
	coordinator *Host
	reference   *model
	partitions  int
}

func quick() gradshare.Timing {
	t := gradshare.DefaultTiming()
	t.Beat, t.Quiet, t.Redial = 100*time.Millisecond, 500*time.Millisecond, 50*time.Millisecond
	t.Reconnect, t.Join, t.Absence = time.Second, 20*time.Second, 20*time.Second
	return t
}

// start starts a worker.
func (r *testRun) start(partition, attempt int) *process {
	r.t.Helper()
	p := &process{toy: &toy{padding: r.padding, pace: time.Millisecond}, transport: r.transport(Worker), done: make(chan error, 1)}
	c := gradshare.WorkerConfig{Job: testJob, Nonce: uint64(attempt)<<32 | uint64(partition), Attempt: uint32(attempt), Coordinator: r.address,
		Shares: []gradshare.Share{{Partition: uint32(partition), Minibatches: testMinibatches}}, Fanout: r.fanout, Timing: quick()}
	var l Listener
	if r.mode == gradshare.Mesh {
		var err error
		if l, err = p.transport.Listen(Place{Toward: r.address}); err != nil {
			r.t.Fatal(err)
		}
		c.Address = l.Address()
	}
	w, err := gradshare.NewWorker(c, p.toy)
	if err != nil {
		r.t.Fatal(err)
	}
	p.host, err = NewHost(Config{Machine: w, Transport: p.transport, Listener: l, Coordinator: r.address, Tick: quick().Beat / 2,
		Train: func(_ context.Context, a gradshare.Train) gradshare.Trained { return p.toy.train(a) }})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(r.t.Context())
	p.cancel = cancel
	go func() { p.done <- p.host.Run(ctx) }()
	return p
}

// kill ends a worker without a word.
func (p *process) kill() {
	p.transport.Close()
	p.cancel(errKilled)
}

// wait gives how a process ended.
func wait(t *testing.T, what string, done chan error) error {
	t.Helper()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		t.Fatalf("%s has not ended", what)
		return nil
	}
}

// run trains epochs and rounds; one worker is killed in each and replaced. The result is what the minibatches say.
func (r *testRun) run() {
	t := r.t
	transport := r.transport(Coordinator)
	defer transport.Close()
	l, err := transport.Listen(Place{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	r.address, r.reference, r.partitions = l.Address(), &model{}, testWorkers
	c, err := gradshare.NewCoordinator(gradshare.Config{Job: testJob, Term: 1, Partitions: r.partitions, Mode: r.mode, Fanout: r.fanout, Timing: quick()}, r.reference, nil)
	if err != nil {
		t.Fatal(err)
	}
	var start vector
	for i := range start {
		start[i] = int64(i)
	}
	committed, half := 0, make(chan bool, 1)
	var rounds []vector
	all := make([]uint32, r.partitions)
	for i := range all {
		all[i] = uint32(i)
	}
	var lost []gradshare.Lost
	act := func(a gradshare.Action) {
		switch a := a.(type) {
		case gradshare.Committed:
			if committed++; committed == r.partitions*testMinibatches/2 {
				half <- true
			}
		case gradshare.EpochDone:
			if a.Epoch+1 < testEpochs {
				r.coordinator.Post(gradshare.Open{Epoch: a.Epoch + 1})
			} else {
				r.coordinator.Post(gradshare.Round{Shares: all, Group: 2, Start: start.bytes()})
			}
		case gradshare.RoundDone:
			v, err := readVector(a.Payload)
			if err != nil {
				t.Error(err)
			}
			if rounds = append(rounds, v); len(rounds) < testRounds {
				r.coordinator.Post(gradshare.Round{Round: a.Round + 1, Shares: all, Group: 2, Start: a.Payload})
			} else {
				r.coordinator.Post(gradshare.Shut{Reason: "the test is over"})
			}
		case gradshare.Lost:
			lost = append(lost, a)
		}
	}
	r.coordinator, err = NewHost(Config{Machine: c, Transport: transport, Listener: l, Tick: quick().Beat / 2, Act: act})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- r.coordinator.Run(t.Context()) }()
	r.coordinator.Post(gradshare.Open{Begin: true, Params: start.bytes()})
	workers := make([]*process, r.partitions)
	for i := range workers {
		workers[i] = r.start(i, 0)
		defer workers[i].transport.Close()
	}
	select {
	case <-half:
	case err := <-done:
		t.Fatalf("the coordinator has ended: %v", err)
	case <-time.After(30 * time.Second):
		t.Fatal("the run is stuck")
	}
	workers[1].kill()
	if err := wait(t, "the killed worker", workers[1].done); !errors.Is(err, errKilled) {
		t.Errorf("a killed worker gave %v", err)
	}
	workers[1] = r.start(1, 1)
	defer workers[1].transport.Close()
	if err := wait(t, "the coordinator", done); err != nil {
		t.Fatal(err)
	}
	for i, w := range workers {
		if err := wait(t, fmt.Sprintf("worker %d", i), w.done); err != nil {
			t.Errorf("worker %d: %v", i, err)
		}
	}
	want := start
	for e := range testEpochs {
		for p := range r.partitions {
			for o := range testMinibatches {
				g := gradient(uint32(e), uint32(p), uint32(o))
				for i := range want {
					want[i] -= g[i]
				}
			}
		}
	}
	if r.reference.params != want || committed != testEpochs*r.partitions*testMinibatches {
		t.Errorf("%d updates gave %v, not %v", committed, r.reference.params, want)
	}
	sum := start
	for n, got := range rounds {
		next := vector{}
		for p := range r.partitions {
			next.add(sum)
			next.add(gradient(uint32(1000+n), uint32(p), 0))
		}
		if sum = next; got != sum {
			t.Errorf("round %d gave %v, not %v", n, got, sum)
		}
	}
	if len(rounds) != testRounds {
		t.Errorf("%d rounds", len(rounds))
	}
	for _, l := range lost {
		if l.Violation {
			t.Errorf("%v broke the protocol: %s", l.Peer, l.Reason)
		}
	}
	sent, received := r.coordinator.Traffic()
	t.Logf("the coordinator sent %d bytes and received %d; lost: %v", sent, received, lost)
}

func TestRunMemory(t *testing.T) {
	for _, mode := range []gradshare.Mode{gradshare.Plain, gradshare.Mesh} {
		t.Run(map[gradshare.Mode]string{gradshare.Plain: "plain", gradshare.Mesh: "mesh"}[mode], func(t *testing.T) {
			net := NewMemory()
			r := &testRun{t: t, mode: mode, fanout: 2, transport: func(r Role) Transport { return net.Transport(r, Options{}) }}
			r.run()
		})
	}
}
