package resident

import (
	"net"
	"sync"
	"time"
)

// outbox sends frames in the order in which they are put, and an empty one where none was for a beat.
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

// put does not wait.
func (o *outbox) put(f *frame) {
	o.mu.Lock()
	o.queue = append(o.queue, f)
	o.mu.Unlock()
	o.notify()
}

// add has the last frame that is not yet on its way changed, if it takes the change, and puts f where it doesn't.
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

// end sends what is there, and returns when the other side's machine has it, or after an error.
func (o *outbox) end() {
	o.mu.Lock()
	o.ending = true
	o.mu.Unlock()
	o.notify()
	<-o.done
}

// failure is why nothing is sent any more.
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
				o.conn.Close() // so that this side's reader learns of it
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
