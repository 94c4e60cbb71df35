package mesh

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// Memory is a network inside a process. Messages are passed on as they are, without encoding.
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

// keep registers an end of a link, unless the transport is closed or its listener has too many links.
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

// errFull says that a listener has too many links.
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

var errNobody = errors.New("nobody listens there: it has ended, or never began")

func (t *memoryTransport) Dial(ctx context.Context, to Role, address string) (Conn, error) {
	peer := fmt.Sprintf("%s at %s", to, address)
	failed := func(err error) (Conn, error) { return nil, &LinkError{peer, "dialling", err} }
	t.net.mu.Lock()
	l := t.net.listeners[address]
	t.net.mu.Unlock()
	switch {
	case l == nil:
		return failed(errNobody)
	case l.transport.role != to:
		return failed(fmt.Errorf("a %s listens there", l.transport.role))
	}
	broken, once := make(chan struct{}), new(sync.Once)
	there, back := newPipe(), newPipe()
	c := &memoryConn{transport: t, peer: peer, out: there, in: back, broken: broken, once: once}
	d := &memoryConn{transport: l.transport, peer: fmt.Sprintf("a %s in this process", t.role), out: back, in: there,
		broken: broken, once: once, listener: l}
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
