package resident

import (
	"net"
	"sync"
	"time"
)

// outbox sends frames in the order of put. If there was none for a beat, it sends an empty one.
type outbox struct {
	conn net.Conn
	wake chan struct{}
	done chan struct{}

	mu     sync.Mutex
	queue  []*frame
	ending bool
	err    error
}

func newOutbox(c net.Conn) *outbox {
	o := &outbox{conn: c, wake: make(chan struct{}, 1), done: make(chan struct{})}
	go o.run()
	return o
}

// put queues a frame. It does not wait.
func (o *outbox) put(f *frame) {
	o.mu.Lock()
	o.queue = append(o.queue, f)
	o.mu.Unlock()
	o.notify()
}

// add offers change the last queued frame. If change refuses it, add queues f.
func (o *outbox) add(f *frame, change func(last *frame) bool) {
	o.mu.Lock()
	if n := len(o.queue); n == 0 || !change(o.queue[n-1]) {
		o.queue = append(o.queue, f)
	}
	o.mu.Unlock()
	o.notify()
}

func (o *outbox) notify() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// end sends all queued frames, and returns when they are written, or after an error.
func (o *outbox) end() {
	o.mu.Lock()
	o.ending = true
	o.mu.Unlock()
	o.notify()
	<-o.done
}

// failure returns the error that stopped the outbox.
func (o *outbox) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func (o *outbox) run() {
	defer close(o.done)
	alive := time.NewTicker(beat)
	defer alive.Stop()
	for {
		o.mu.Lock()
		queue, ending := o.queue, o.ending
		o.queue = nil
		o.mu.Unlock()
		for _, f := range queue {
			if err := f.write(o.conn); err != nil {
				o.mu.Lock()
				o.err = err
				o.mu.Unlock()
				o.conn.Close() // so that this side's reader notices
				return
			}
		}
		switch {
		case len(queue) > 0:
		case ending:
			return
		default:
			select {
			case <-o.wake:
			case <-alive.C:
				o.put(&frame{})
			}
		}
	}
}
