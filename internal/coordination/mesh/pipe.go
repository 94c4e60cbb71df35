package mesh

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// pipe is one direction of a link.
type pipe struct {
	messages chan coordination.Message
	once     sync.Once
	closed   chan struct{} // by the sender
}

// underWay is how many messages may be on their way before Send waits.
const underWay = 4

func newPipe() *pipe {
	return &pipe{messages: make(chan coordination.Message, underWay), closed: make(chan struct{})}
}

type memoryConn struct {
	transport *memoryTransport
	listener  *memoryListener // of the accepting end; nil at the dialling end
	peer      string
	out, in   *pipe
	broken    chan struct{} // shared by both ends
	once      *sync.Once
}

func (c *memoryConn) failed(did string, err error) error { return &LinkError{c.peer, did, err} }

var errBroken = errors.New("the link is broken: the process at the other end has ended, or has given it up")

func (c *memoryConn) Send(m coordination.Message) error {
	if size := coordination.Size(m); size > c.transport.options.MaxMessage {
		return c.failed("sending", &lengthError{size, c.transport.options.MaxMessage})
	}
	select {
	case <-c.broken:
		return c.failed("sending", errBroken)
	case <-c.out.closed:
		return c.failed("sending", ErrClosed)
	case <-c.in.closed:
		return c.failed("sending", errBroken)
	default:
	}
	select {
	case c.out.messages <- m:
		return nil
	default:
	}
	timer := time.NewTimer(c.transport.options.Patience)
	defer timer.Stop()
	select {
	case c.out.messages <- m:
		return nil
	case <-c.broken:
		return c.failed("sending", errBroken)
	case <-c.in.closed:
		return c.failed("sending", errBroken)
	case <-timer.C:
		c.Abort()
		return c.failed("sending", errImpatient(c.transport.options.Patience))
	}
}

// errImpatient ends a link whose peer takes no data.
func errImpatient(d time.Duration) error {
	return fmt.Errorf("it has taken nothing for %v: its process is stopped, or overloaded, or the network between is cut",
		d)
}

func (c *memoryConn) Receive(func()) (coordination.Message, error) {
	select {
	case <-c.out.closed:
		return nil, c.failed("receiving", ErrClosed)
	case m := <-c.in.messages:
		return m, nil
	default:
	}
	select {
	case m := <-c.in.messages:
		return m, nil
	case <-c.out.closed:
		return nil, c.failed("receiving", ErrClosed)
	case <-c.broken:
		select {
		case <-c.in.closed: // it was closed before it was broken
			return c.rest()
		default:
			return nil, c.failed("receiving", errBroken)
		}
	case <-c.in.closed:
		return c.rest()
	}
}

// rest receives the messages that the peer had sent before it closed the link.
func (c *memoryConn) rest() (coordination.Message, error) {
	select {
	case m := <-c.in.messages:
		return m, nil
	default:
		return nil, io.EOF
	}
}

func (c *memoryConn) Close() {
	c.out.once.Do(func() { close(c.out.closed) })
	timer := time.NewTimer(c.transport.options.Linger)
	defer timer.Stop()
	select {
	case <-c.broken:
	case <-c.in.closed:
	case <-timer.C:
	}
	c.Abort()
}

func (c *memoryConn) Abort() {
	c.once.Do(func() { close(c.broken) })
	c.transport.mu.Lock()
	defer c.transport.mu.Unlock()
	if c.transport.conns[c] {
		delete(c.transport.conns, c)
		if c.listener != nil {
			c.listener.links--
		}
	}
}

func (c *memoryConn) Peer() string { return c.peer }
