package mesh

import (
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"sync"
	"time"
)

// pendingMost bounds the connections whose handshake is not done.
const pendingMost = 1024

// gate admits connections whose handshake has succeeded. The others are bounded in number, by closing the oldest, and
// in time. Each has a goroutine and a few kilobytes.
type gate struct {
	net.Listener
	tls   *tls.Config
	limit time.Duration // of a handshake
	log   *slog.Logger
	ready chan *wire
	once  sync.Once
	shut  chan struct{}
	close func() // accepts no more connections
	group sync.WaitGroup

	mu      sync.Mutex
	pending map[net.Conn]uint64 // by order of arrival
	came    uint64
	oldest  uint64 // number of the oldest one that may be pending
	order   map[uint64]net.Conn
	refused int
	told    time.Time
}

// newGate makes the gate of a listener, with the Log and the Handshake of options that have their defaults.
func newGate(l net.Listener, c *tls.Config, o Options) *gate {
	g := &gate{Listener: l, close: func() { l.Close() }, tls: c, limit: o.Handshake, log: o.Log, ready: make(chan *wire),
		shut: make(chan struct{}), pending: map[net.Conn]uint64{}, order: map[uint64]net.Conn{}}
	g.group.Go(g.acceptAll)
	return g
}

func (g *gate) acceptAll() {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			select {
			case <-g.shut:
				return
			case <-time.After(100 * time.Millisecond): // out of file descriptors, for example
				g.refuse("", err)
				continue
			}
		}
		if g.enter(c) {
			g.group.Go(func() { g.handshake(c) })
		}
	}
}

// enter registers a connection, and closes the oldest one if there are too many. It returns false if the gate is shut.
func (g *gate) enter(c net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.shut:
		c.Close()
		return false
	default:
	}
	g.came++
	g.pending[c], g.order[g.came] = g.came, c
	for ; len(g.pending) > pendingMost; g.oldest++ {
		if old := g.order[g.oldest]; old != nil {
			old.Close()
			delete(g.pending, old)
			delete(g.order, g.oldest)
		}
	}
	return true
}

func (g *gate) leave(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.order, g.pending[c])
	delete(g.pending, c)
}

func (g *gate) handshake(c net.Conn) {
	c.SetDeadline(time.Now().Add(g.limit))
	t := tls.Server(underTLS(c), g.tls)
	err := t.Handshake()
	w := newWire(t)
	if err == nil {
		err = w.speaks()
	}
	g.leave(c)
	if err != nil {
		c.Close()
		g.refuse(c.RemoteAddr().String(), err)
		return
	}
	c.SetDeadline(time.Time{})
	select {
	case g.ready <- w:
	case <-g.shut:
		c.Close()
	}
}

// refuse logs a refused connection, every 10 s at most. A peer that ends the connection itself, as a worker does that
// ends while it greets, is not refused.
func (g *gate) refuse(address string, err error) {
	if gone(err) {
		g.log.Debug("a connection has ended before its handshake", "address", address, "error", err)
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused++
	if time.Since(g.told) < 10*time.Second || errors.Is(err, net.ErrClosed) {
		return
	}
	g.told = time.Now()
	g.log.Warn("a connection was refused", "address", address, "error", explain(err), "refused", g.refused)
}

// Accept returns the next connection, for gRPC.
func (g *gate) Accept() (net.Conn, error) {
	select {
	case w := <-g.ready:
		return w, nil
	case <-g.shut:
		return nil, net.ErrClosed
	}
}

// Close closes the gate and all pending connections.
func (g *gate) Close() error {
	g.once.Do(func() {
		g.mu.Lock()
		close(g.shut)
		for c := range g.pending {
			c.Close()
		}
		g.mu.Unlock()
		g.close()
	})
	return nil
}
