package mesh

import (
	"bytes"
	"crypto/tls"
	"log/slog"
	"net"
	"strings"
	"testing"
)

// pipes is a listener of connections in memory.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	c, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (p pipes) Close() error { close(p); return nil }

func (pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipes", Net: "unix"} }

// closing tells when its connection is closed.
type closing struct {
	net.Conn
	closed chan struct{}
}

func (c closing) Close() error { defer close(c.closed); return c.Conn.Close() }

// TestPeersThatEnd checks that a peer that ends its connection during the handshake is not logged as refused, as a peer
// is that does not speak TLS.
func TestPeersThatEnd(t *testing.T) {
	var log bytes.Buffer
	l := make(pipes)
	g := newGate(l, &tls.Config{}, patient(Options{Log: slog.New(slog.NewTextHandler(&log, nil))}))
	for _, says := range []string{"", "\x16\x03\x01", "GET / HTTP/1.1\r\n\r\n"} {
		server, client := net.Pipe()
		c := closing{server, make(chan struct{})}
		l <- c
		client.Write([]byte(says)) // fails where the gate closes first
		client.Close()
		<-c.closed
	}
	g.Close()
	g.group.Wait()
	all := log.String()
	if n := strings.Count(all, "a connection was refused"); n != 1 || !strings.Contains(all, "does not speak TLS") {
		t.Errorf("%d connections are refused: %s", n, all)
	}
}
