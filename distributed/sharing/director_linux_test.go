package sharing

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// lasts is how long a worker is stopped or cut off.
const lasts = 5 * time.Second

// patience ends waits of faults that hang.
const patience = 5 * time.Minute

// director is in the test's process: it does to workers what is to be done, when they say that they are there, and
// reads the coordinator's log.
type director struct {
	faults   []fault
	marks    string
	listener net.Listener
	group    sync.WaitGroup

	mu       sync.Mutex
	happened []*happening // by fault
	commits  map[minibatch]commit
	wrong    []error

	// By fault: its update is in the coordinator's process; its victim is no more.
	arrived, gone []chan struct{}
	once          []sync.Once
}

// happening is a fault that has happened.
type happening struct {
	victim coordination.Peer
	from   time.Time
	to     time.Time // when a worker that was stopped or cut off is back
}

func newDirector(t *testing.T, faults []fault) *director {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &director{faults: faults, marks: t.TempDir(), listener: l, happened: make([]*happening, len(faults)),
		commits: map[minibatch]commit{}, once: make([]sync.Once, len(faults))}
	for range faults {
		d.arrived, d.gone = append(d.arrived, make(chan struct{})), append(d.gone, make(chan struct{}))
	}
	d.group.Go(d.serve)
	return d
}

// close ends it when what it does is done.
func (d *director) close() {
	d.listener.Close()
	d.group.Wait()
}

func (d *director) serve() {
	for {
		c, err := d.listener.Accept()
		if err != nil {
			return
		}
		d.group.Go(func() {
			defer c.Close()
			var q question
			if json.NewDecoder(c).Decode(&q) == nil {
				d.answer(c, q)
			}
		})
	}
}

// question is a worker's, which has come to the point of a fault.
type question struct {
	Fault int
	PID   int
	Peer  coordination.Peer
}

// put asks, and waits for the answer: how long the worker is to be cut off.
func (q question) put(to string) (cut time.Duration, err error) {
	c, err := net.Dial("tcp", to)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(lasts + patience))
	q.PID = os.Getpid()
	if err := json.NewEncoder(c).Encode(q); err != nil {
		return 0, err
	}
	err = json.NewDecoder(c).Decode(&cut)
	return cut, err
}

// answer does what is to be done.
func (d *director) answer(c net.Conn, q question) {
	f, reply := d.faults[q.Fault], time.Duration(0)
	if f.At == beforeCommit {
		d.await(d.arrived[q.Fault], f)
	}
	if d.claim(q) {
		switch f.Deed {
		case killed:
			d.check(syscall.Kill(q.PID, syscall.SIGKILL))
			c.SetReadDeadline(time.Now().Add(patience))
			io.Copy(io.Discard, c) // until it is no more
			close(d.gone[q.Fault])
			return
		case stopped:
			d.check(syscall.Kill(q.PID, syscall.SIGSTOP))
			time.Sleep(lasts)
			d.mu.Lock()
			d.happened[q.Fault].to = time.Now()
			d.mu.Unlock()
			d.check(syscall.Kill(q.PID, syscall.SIGCONT))
		case cutOff, silent:
			reply = lasts
		}
	}
	d.check(json.NewEncoder(c).Encode(reply))
}

// claim is true once for a fault, and for one with an opener when that has happened.
func (d *director) claim(q question) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	f, now := d.faults[q.Fault], time.Now()
	if d.happened[q.Fault] != nil || f.At == handing && d.happened[f.Opener] == nil {
		return false
	}
	h := &happening{q.Peer, now, now}
	if f.Deed != killed {
		h.to = now.Add(lasts)
	}
	d.happened[q.Fault] = h
	return true
}

// await waits for something that a fault needs.
func (d *director) await(c <-chan struct{}, f fault) {
	select {
	case <-c:
	case <-time.After(patience):
		d.check(fmt.Errorf("waited too long for: %v", f))
	}
}

func (d *director) check(err error) {
	if err != nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wrong = append(d.wrong, err)
	}
}

// recovery is how long it took, from the end of a fault, until the victim's partition went on: in another process if it
// was killed. Where nothing of it was left to be trained, it is the time to the end of the fit.
func (d *director) recovery(i int, end time.Time) time.Duration {
	h := d.happened[i]
	for _, c := range d.commits {
		again := c.peer.Worker == h.victim.Worker && c.at.After(h.to) &&
			(d.faults[i].Deed != killed || c.peer.Incarnation > h.victim.Incarnation)
		if again && c.at.Before(end) {
			end = c.at
		}
	}
	return end.Sub(h.to)
}

// longest is the longest recovery.
func (d *director) longest(end time.Time) (longest time.Duration) {
	for i, h := range d.happened {
		if h != nil {
			longest = max(longest, d.recovery(i, end))
		}
	}
	return longest
}
