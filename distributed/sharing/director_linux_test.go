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

// lasts is the time for which a worker is stopped or cut off.
const lasts = 5 * time.Second

// patience limits the waits of faults that hang.
const patience = 5 * time.Minute

// director runs in the test's process. It causes the faults when workers report that they are at their points, and it
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

	// Closed for each fault when its update has reached the coordinator's process, and when its victim has ended.
	arrived, gone []chan struct{}
	once          []sync.Once
}

// happening is a fault that has happened, or is happening.
type happening struct {
	victim coordination.Peer
	from   time.Time
	to     time.Time // when a stopped or cut-off worker is back
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

// close stops listening and waits for the faults in progress.
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

// question is a worker's message that it has reached the point of a fault.
type question struct {
	Fault int
	PID   int
	Peer  coordination.Peer
}

// put sends the question and waits for the answer: the time for which the worker is to be cut off.
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

// answer causes the fault and answers the worker.
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
			io.Copy(io.Discard, c) // until the worker has ended
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

// claim returns true once for a fault. A fault with an opener must come after it.
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

// await waits for a condition of a fault.
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

// recovery returns the time from the end of a fault until the victim's partition went on, which is in another process
// if the victim was killed. If the partition had nothing left to train, it is the time until the end of the fit.
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

// longest returns the longest recovery.
func (d *director) longest(end time.Time) (longest time.Duration) {
	for i, h := range d.happened {
		if h != nil {
			longest = max(longest, d.recovery(i, end))
		}
	}
	return longest
}
