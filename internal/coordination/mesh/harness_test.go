package mesh

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/coordination"
)

const (
	testWorkers     = 4
	testMinibatches = 60
	testEpochs      = 2
	testRounds      = 3
)

var testJob = coordination.JobID{'t', 'e', 's', 't'}

// process is a worker with its replica, transport and host.
type process struct {
	toy       *toy
	transport Transport
	host      *Host
	cancel    context.CancelCauseFunc
	done      chan error
}

// testRun runs a coordinator and its workers.
type testRun struct {
	t         *testing.T
	transport func(Role) Transport
	mode      coordination.Mode
	padding   int
	kill      bool                    // kill a worker, which is replaced
	restart   bool                    // restart the coordinator from a checkpoint
	silence   map[int]time.Duration   // Timing.Silence by worker, if not the default
	more      func() bool             // returns whether to run another epoch beyond testEpochs
	listening func(address string)    // receives the coordinator's address
	after     func()                  // runs after the run, before its goroutines are counted
	to        func(worker int) string // the coordinator's address for a worker; nil: the real one

	address     string
	coordinator *Host
	reference   *model
	start       vector
	epochs      int
	committed   int
	settled     vector
	rounds      []vector
	lost        []coordination.Lost
	half        chan bool
	saved       *coordination.Checkpoint
	savedNow    chan bool
	killedNow   chan bool // the coordinator that restart ends
}

const (
	fanout = 2
	group  = 2 // size of the groups in the trees of sums
)

func quick() coordination.Timing {
	t := coordination.DefaultTiming()
	t.Beat, t.Quiet, t.Redial = 100*time.Millisecond, 500*time.Millisecond, 50*time.Millisecond
	for _, d := range []*time.Duration{&t.Silence, &t.Reconnect, &t.Join, &t.Absence, &t.Orphan} {
		*d = time.Hour // so long that no worker is given up on a slow machine
	}
	return t
}

// patient replaces the limits that a test does not set by an hour: no test depends on them.
func patient(o Options) Options {
	for _, d := range []*time.Duration{&o.Dial, &o.Patience, &o.Linger, &o.Handshake, &o.Alive} {
		set(d, time.Hour)
	}
	return o
}

// silent is the log for errors that tests cause on purpose.
var silent = slog.New(slog.DiscardHandler)

// worker starts a worker.
func (r *testRun) worker(partition, attempt int) *process {
	r.t.Helper()
	p := &process{toy: &toy{padding: r.padding}, transport: r.transport(Worker), done: make(chan error, 1)}
	address := r.address
	if r.to != nil {
		address = r.to(partition)
	}
	timing := quick()
	if d, ok := r.silence[partition]; ok {
		timing.Silence = d
	}
	c := coordination.WorkerConfig{Job: testJob, Nonce: uint64(attempt)<<32 | uint64(partition),
		Attempt: uint32(attempt), Coordinator: address,
		Shares: []coordination.Share{{Partition: uint32(partition), Minibatches: testMinibatches}}, Fanout: fanout,
		Timing: timing}
	var l Listener
	if r.mode == coordination.Mesh {
		var err error
		if l, err = p.transport.Listen(Place{Toward: r.address}); err != nil {
			r.t.Fatal(err)
		}
		c.Address = l.Address()
	}
	w, err := coordination.NewWorker(c, p.toy)
	if err != nil {
		r.t.Fatal(err)
	}
	p.host, err = NewHost(Config{Machine: w, Transport: p.transport, Listener: l, Coordinator: address,
		Tick: quick().Beat / 2, Options: patient(Options{}), Log: silent,
		Train: func(ctx context.Context, a coordination.Train) coordination.Trained {
			if r.kill && partition == 1 && attempt == 0 {
				r.untilKilled(ctx)
			}
			return p.toy.train(a)
		}})
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(r.t.Context())
	p.cancel = cancel
	go func() { p.done <- p.host.Run(ctx) }()
	return p
}

// untilKilled keeps the worker that is to be killed running until the run is half over, so that it doesn't finish too
// early.
func (r *testRun) untilKilled(ctx context.Context) {
	select {
	case <-r.half:
		<-ctx.Done()
	default:
	}
}

// kill ends a worker without a message.
func (p *process) kill() {
	p.transport.Close()
	p.cancel(errKilled)
}

// act plays the coordinator's driver. It runs epochs, a settlement, and rounds.
func (r *testRun) act(a coordination.Action) {
	var all []uint32
	for p := range uint32(testWorkers) {
		all = append(all, p)
	}
	next := coordination.Round{Shares: all, Group: group, Start: r.start.bytes()}
	switch a := a.(type) {
	case coordination.Committed:
		const half = testWorkers * testMinibatches / 2
		if r.committed++; r.committed == half {
			close(r.half)
		}
		if r.restart && r.committed == half+1 { // the run may end before a periodic checkpoint is due
			r.coordinator.Post(coordination.SaveNow{})
		}
	case coordination.EpochDone:
		if r.epochs = int(a.Epoch) + 1; r.epochs < testEpochs || r.more != nil && r.more() {
			r.coordinator.Post(coordination.Open{Epoch: a.Epoch + 1})
		} else {
			r.coordinator.Post(coordination.Settle{Group: group})
		}
	case coordination.Settled:
		r.settled, _ = readVector(a.Payload)
		r.coordinator.Post(next)
	case coordination.RoundDone:
		sum, _ := readVector(a.Payload)
		if r.rounds = append(r.rounds, sum); len(r.rounds) == testRounds {
			r.coordinator.Post(coordination.Shut{Reason: "the test is over"})
			return
		}
		next.Round, next.Start = a.Round+1, a.Payload
		r.coordinator.Post(next)
	case coordination.Save:
		if r.saved == nil && r.committed > testWorkers*testMinibatches/2 {
			r.saved = a.Checkpoint
			close(r.savedNow)
			<-r.killedNow // so that the run cannot end before the kill
		}
	case coordination.Lost:
		r.lost = append(r.lost, a)
	}
}

// coordinate starts a coordinator.
func (r *testRun) coordinate(transport Transport, l Listener, term uint32,
	from *coordination.Checkpoint) (context.CancelCauseFunc, chan error) {
	t := r.t
	t.Helper()
	conf := coordination.Config{Job: testJob, Term: term, Partitions: testWorkers, Mode: r.mode, Fanout: fanout,
		Timing: quick()}
	if r.restart {
		conf.Checkpoint = 20 * time.Millisecond
	}
	c, err := coordination.NewCoordinator(conf, r.reference, from)
	if err != nil {
		t.Fatal(err)
	}
	h, err := NewHost(Config{Machine: c, Transport: transport, Listener: l, Tick: quick().Beat / 2, Act: r.act,
		Options: patient(Options{}), Log: silent})
	if err != nil {
		t.Fatal(err)
	}
	r.coordinator = h
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	return cancel, done
}

// run trains. The minibatches alone determine the result, whatever happens to workers.
func (r *testRun) run() {
	t := r.t
	before := runtime.NumGoroutine()
	transport := r.transport(Coordinator)
	defer func() { transport.Close() }()
	l, err := transport.Listen(Place{Host: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	r.address, r.reference, r.start, r.half, r.savedNow = l.Address(), &model{}, vector{1, 2,
		3}, make(chan bool), make(chan bool)
	r.killedNow = make(chan bool)
	if r.listening != nil {
		r.listening(r.address)
	}
	cancel, done := r.coordinate(transport, l, 1, nil)
	r.coordinator.Post(coordination.Open{Begin: true, Params: r.start.bytes()})
	workers := make([]*process, testWorkers)
	for i := range workers {
		workers[i] = r.worker(i, 0)
	}
	defer func() {
		for _, w := range workers {
			w.transport.Close()
		}
	}()
	if r.kill {
		await.From(t, "half of the run", r.half)
		workers[1].kill()
		if err := await.From(t, "the killed worker to end", workers[1].done); !errors.Is(err, errKilled) {
			t.Errorf("a killed worker gave %v", err)
		}
		workers[1] = r.worker(1, 1)
	}
	if r.restart {
		await.From(t, "a checkpoint", r.savedNow)
		cancel(errKilled)
		transport.Close()
		close(r.killedNow)
		if err := await.From(t, "the killed coordinator to end", done); !errors.Is(err, errKilled) {
			t.Errorf("a killed coordinator gave %v", err)
		}
		transport = r.transport(Coordinator)
		_, port, _ := net.SplitHostPort(r.address)
		n, _ := strconv.Atoi(port)
		await.Until(t, "the port to be free", func() (any, bool) {
			l, err = transport.Listen(Place{Host: "127.0.0.1", Port: n})
			return err, err == nil
		})
		from := r.saved
		if r.epochs = int(from.Epoch); !from.Open {
			r.epochs++
		}
		r.reference = &model{}
		if err := r.reference.Install(from.Params); err != nil {
			t.Fatal(err)
		}
		_, done = r.coordinate(transport, l, 2, from)
		if !from.Open {
			r.coordinator.Post(coordination.Open{Epoch: uint32(r.epochs)})
		}
	}
	if err := await.From(t, "the coordinator to end", done); err != nil {
		t.Fatal(err)
	}
	for i, w := range workers {
		if err := await.From(t, fmt.Sprintf("worker %d to end", i), w.done); err != nil {
			t.Errorf("worker %d: %v", i, err)
		}
		w.transport.Close()
	}
	transport.Close()
	r.check()
	if r.after != nil {
		r.after()
	}
	await.Goroutines(t, before)
}

// check compares the run with the expected result.
func (r *testRun) check() {
	t := r.t
	want := r.start
	for e := range r.epochs {
		for p := range testWorkers {
			for o := range testMinibatches {
				g := gradient(uint32(e), uint32(p), uint32(o))
				for i := range want {
					want[i] -= g[i]
				}
			}
		}
	}
	if r.reference.params != want || r.committed < r.epochs*testWorkers*testMinibatches || !r.restart &&
		r.committed > r.epochs*testWorkers*testMinibatches {
		t.Errorf("%d updates gave %v, not %v", r.committed, r.reference.params, want)
	}
	var all vector
	for range testWorkers {
		all.add(want)
	}
	if r.settled != all {
		t.Errorf("the replicas have %v in sum, not %v", r.settled, all)
	}
	sum := r.start
	for n, got := range r.rounds {
		next := vector{}
		for p := range testWorkers {
			next.add(sum)
			next.add(gradient(uint32(1000+n), uint32(p), 0))
		}
		if sum = next; got != sum {
			t.Errorf("round %d gave %v, not %v", n, got, sum)
		}
	}
	for _, l := range r.lost {
		if l.Violation || !r.kill {
			t.Errorf("%v was lost: %s", l.Peer, l.Reason)
		}
	}
	sent, received := r.coordinator.Traffic()
	t.Logf("%d epochs; the coordinator sent %d bytes and received %d; lost: %v", r.epochs, sent, received, r.lost)
}

// testPair issues credentials for a job.
func testPair(t *testing.T, job coordination.JobID) Pair {
	t.Helper()
	p, err := Issue(Terms{Job: job})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// of returns the credentials of a role.
func (p Pair) of(r Role) Credentials {
	if r == Coordinator {
		return p.Coordinator
	}
	return p.Worker
}

func testSecure(t *testing.T, c Credentials, o Options) Transport {
	t.Helper()
	s, err := NewSecure(c, patient(o))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
