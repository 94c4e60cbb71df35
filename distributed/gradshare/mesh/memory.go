package mesh

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dl4go/dl4go/distributed/gradshare"
)

// Memory is a network inside a process. Messages are handed over as they are, without their bytes.
type Memory struct {
	mu        sync.Mutex
	count     int
	listeners map[string]*memoryListener
}

// NewMemory makes a network.
func NewMemory() *Memory { return &Memory{listeners: map[string]*memoryListener{}} }

// Transport is a process's access to the network.
func (m *Memory) Transport(r Role, o Options) Transport {
	return &memoryTransport{net: m, role: r, options: o.withDefaults(), conns: map[*memoryConn]bool{}}
}

type memoryTransport struct {
	net     *Memory
	role    Role
	options Options

	mu        sync.Mutex
	closed    bool
	conns     map[*memoryConn]bool
	listeners []*memoryListener
}

// keep notes a link's end, unless the transport is closed or its listener has links enough.
func (t *memoryTransport) keep(c *memoryConn) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return ErrClosed
	}
	if c.listener != nil {
		if c.listener.links == t.options.Links {
			return errFull(t.options.Links)
		}
		c.listener.links++
	}
	t.conns[c] = true
	return nil
}

// errFull refuses a link.
func errFull(n int) error {
	return fmt.Errorf("it has %d links already, which is all that it takes (Options.Links)", n)
}

func (t *memoryTransport) Close() error {
	t.mu.Lock()
	t.closed = true
	conns, listeners := t.conns, t.listeners
	t.conns, t.listeners = map[*memoryConn]bool{}, nil
	t.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}
	for c := range conns {
		c.Abort()
	}
	return nil
}

type memoryListener struct {
	transport *memoryTransport
	address   string
	arrived   chan *memoryConn
	once      sync.Once
	closed    chan struct{}
	links     int // guarded by the transport's mu
}

func (t *memoryTransport) Listen(Place) (Listener, error) {
	l := &memoryListener{transport: t, arrived: make(chan *memoryConn), closed: make(chan struct{})}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, ErrClosed
	}
	t.net.mu.Lock()
	defer t.net.mu.Unlock()
	t.net.count++
	l.address = fmt.Sprintf("memory:%d", t.net.count)
	t.net.listeners[l.address] = l
	t.listeners = append(t.listeners, l)
	return l, nil
}

func (l *memoryListener) Accept() (Conn, error) {
	select {
	case c := <-l.arrived:
		return c, nil
	case <-l.closed:
		return nil, ErrClosed
	}
}

func (l *memoryListener) Address() string { return l.address }

func (l *memoryListener) Close() error {
	l.once.Do(func() {
		close(l.closed)
		l.transport.net.mu.Lock()
		delete(l.transport.net.listeners, l.address)
		l.transport.net.mu.Unlock()
	})
	return nil
}

func (t *memoryTransport) Dial(ctx context.Context, to Role, address string) (Conn, error) {
	peer := fmt.Sprintf("%s at %s", to, address)
	failed := func(err error) (Conn, error) { return nil, &LinkError{peer, "dialling", err} }
	t.net.mu.Lock()
	l := t.net.listeners[address]
	t.net.mu.Unlock()
	switch {
	case l == nil:
		return failed(errors.New("nobody listens there: it has ended, or never began"))
	case l.transport.role != to:
		return failed(fmt.Errorf("a %s listens there", l.transport.role))
	}
	broken, once := make(chan struct{}), new(sync.Once)
	there, back := newPipe(), newPipe()
	c := &memoryConn{transport: t, peer: peer, out: there, in: back, broken: broken, once: once}
	d := &memoryConn{transport: l.transport, peer: fmt.Sprintf("a %s in this process", t.role), out: back, in: there, broken: broken, once: once, listener: l}
	if err := t.keep(c); err != nil {
		return failed(err)
	}
	if err := l.transport.keep(d); err != nil {
		c.Abort()
		return failed(err)
	}
	ctx, cancel := context.WithTimeout(ctx, t.options.Dial)
	defer cancel()
	select {
	case l.arrived <- d:
		return c, nil
	case <-l.closed:
		c.Abort()
		d.Abort()
		return failed(errors.New("it takes no more links: its process ends"))
	case <-ctx.Done():
		c.Abort()
		d.Abort()
		return failed(fmt.Errorf("it does not accept: %w", ctx.Err()))
	}
}

// pipe is one direction of a link.
type pipe struct {
	messages chan gradshare.Message
	once     sync.Once
	closed   chan struct{} // by who sends
}

// underWay is how many messages are on their way before a Send waits.
const underWay = 4

func newPipe() *pipe {
	return &pipe{messages: make(chan gradshare.Message, underWay), closed: make(chan struct{})}
}

type memoryConn struct {
	transport *memoryTransport
	listener  *memoryListener // of the end that was dialled
	peer      string
	out, in   *pipe
	broken    chan struct{} // shared by both ends
	once      *sync.Once
}

func (c *memoryConn) failed(did string, err error) error { return &LinkError{c.peer, did, err} }

var errBroken = errors.New("the link is broken: the process at the other end has ended, or has given it up")

func (c *memoryConn) Send(m gradshare.Message) error {
	if size := gradshare.Size(m); size > c.transport.options.MaxMessage {
		return c.failed("sending", errTooLong(size, c.transport.options.MaxMessage))
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

// errImpatient ends a link whose peer takes nothing.
func errImpatient(d time.Duration) error {
	return fmt.Errorf("it has taken nothing for %v: its process is stopped, or overloaded, or the network between is cut", d)
}

func (c *memoryConn) Receive(func()) (gradshare.Message, error) {
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
		return nil, c.failed("receiving", errBroken)
	case <-c.in.closed:
		select {
		case m := <-c.in.messages:
			return m, nil
		default:
			return nil, io.EOF
		}
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
