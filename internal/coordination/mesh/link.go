package mesh

import (
	"context"
	"errors"
	"io"
	"sync"
	"syscall"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// link is a machine's link: a queue of messages, a goroutine that sends them and a goroutine that receives. The Host's
// own goroutine makes and ends it.
type link struct {
	id   coordination.Link
	host *Host
	role Role // of the peer
	gone chan struct{}
	conn Conn
	stop context.CancelFunc // cancels its dial

	mu      sync.Mutex
	queue   []coordination.Message
	ending  bool
	dropped bool
	failure error       // of sending
	hurry   *time.Timer // set once the link is ending
	wake    chan struct{}
}

func (h *Host) newLink(id coordination.Link) *link {
	l := &link{id: id, host: h, gone: make(chan struct{}), wake: make(chan struct{}, 1)}
	h.links[id] = l
	return l
}

// tell sends an input to the Host. It returns false if the Host has ended the link.
func (l *link) tell(in input) bool {
	in.link = l
	select {
	case l.host.inputs <- in:
		return true
	case <-l.gone:
		return false
	}
}

// accept admits the links that arrive at the Listener.
func (h *Host) accept() {
	for {
		c, err := h.conf.Listener.Accept()
		if err != nil {
			if !errors.Is(err, ErrClosed) {
				h.conf.Log.Error("no more links are accepted", "error", err)
			}
			return
		}
		h.admit(c)
	}
}

// admit sends a new link to the Host, unless the Host is about to end.
func (h *Host) admit(c Conn) {
	select {
	case h.inputs <- input{conn: c}:
	case <-h.closing:
		c.Abort()
	}
}

// dial makes a link in the background.
func (h *Host) dial(id coordination.Link, address string) {
	l := h.newLink(id)
	l.role = Worker
	if address == h.conf.Coordinator {
		l.role = Coordinator
	}
	ctx, cancel := context.WithTimeout(context.Background(), h.conf.Options.Dial)
	l.stop = cancel
	h.group.Go(func() {
		defer cancel()
		c, err := h.conf.Transport.Dial(ctx, l.role, address)
		if err != nil {
			refused := errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errNobody)
			l.tell(input{event: coordination.Broken{Link: id, Refused: refused}, err: err})
		} else if !l.tell(input{event: coordination.Connected{Link: id}, conn: c}) {
			c.Close() // so that the peer sees an end, not a fault
		}
	})
}

// open starts a link's goroutines.
func (l *link) open(c Conn) {
	l.conn = c
	l.host.group.Go(l.sendAll)
	l.host.group.Go(l.receiveAll)
}

// send puts a message in the queue.
func (l *link) send(m coordination.Message) {
	l.mu.Lock()
	l.queue = append(l.queue, m)
	l.mu.Unlock()
	l.notify()
}

func (l *link) notify() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// end closes a link after its queued messages.
func (l *link) end() {
	close(l.gone)
	if l.conn == nil {
		l.stop()
		return
	}
	l.mu.Lock()
	l.ending = true
	// The queued messages have this long. The Close after them has as long again.
	l.hurry = time.AfterFunc(l.host.conf.Options.Linger, l.conn.Abort)
	l.mu.Unlock()
	l.notify()
}

// drop gives up a broken link.
func (l *link) drop() {
	close(l.gone)
	if l.conn == nil {
		return
	}
	l.mu.Lock()
	l.dropped = true
	l.mu.Unlock()
	l.notify()
	l.conn.Abort()
}

// next waits for messages. It returns false when none will come.
func (l *link) next(into []coordination.Message) ([]coordination.Message, bool) {
	for {
		l.mu.Lock()
		queue, ending, dropped := l.queue, l.ending, l.dropped
		if len(queue) > 0 && !dropped {
			clear(into[:cap(into)])
			l.queue = into[:0]
			l.mu.Unlock()
			return queue, true
		}
		l.mu.Unlock()
		if ending || dropped {
			return nil, false
		}
		<-l.wake
	}
}

// sendAll sends the queued messages, and closes the link when it is ending. If sending fails, receiveAll gets an error
// too, after the last messages of the peer.
func (l *link) sendAll() {
	defer l.conn.Abort()
	var batch []coordination.Message
	for {
		var more bool
		if batch, more = l.next(batch); !more {
			break
		}
		for _, m := range batch {
			if err := l.conn.Send(m); err != nil {
				l.mu.Lock()
				l.failure = err
				l.mu.Unlock()
				if tooLong := (*lengthError)(nil); errors.As(err, &tooLong) { // any other link would refuse it too
					l.tell(input{err: err, fatal: true})
				}
				defer time.AfterFunc(l.host.conf.Options.Linger, l.conn.Abort).Stop()
				<-l.gone
				return
			}
			l.host.sent.Add(uint64(coordination.Size(m)))
			if _, ok := m.(*coordination.Log); ok {
				l.tell(input{event: coordination.Sent{Link: l.id}})
			}
		}
	}
	l.mu.Lock()
	ending := l.ending
	if ending {
		l.hurry.Stop()
	}
	l.mu.Unlock()
	if ending {
		l.conn.Close()
	}
}

// receiveAll tells the Host the messages of the peer.
func (l *link) receiveAll() {
	alive := func() { l.tell(input{event: coordination.Alive{Link: l.id}}) }
	for {
		m, err := l.conn.Receive(alive)
		if err != nil {
			l.mu.Lock()
			if errors.Is(err, io.EOF) {
				err = nil
			} else if l.failure != nil {
				err = l.failure // more telling if the fault is on this side
			}
			l.mu.Unlock()
			l.tell(input{event: coordination.Broken{Link: l.id}, err: err})
			return
		}
		l.host.received.Add(uint64(coordination.Size(m)))
		if !l.tell(input{event: coordination.Received{Link: l.id, Message: m}}) {
			return
		}
	}
}
