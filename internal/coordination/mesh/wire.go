package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"

	"google.golang.org/grpc/credentials"
)

// wire is a connection whose TLS handshake is done. Close ends it at once.
type wire struct {
	*tls.Conn
	bare   net.Conn // replaces TLS on a Unix socket
	first  []byte   // bytes read here, for gRPC to read
	once   sync.Once
	closed chan struct{}

	mu  sync.Mutex
	err error // the first error of Read
}

func newWire(c *tls.Conn) *wire { return &wire{Conn: c, closed: make(chan struct{})} }

// hears waits for the other side's first byte. In TLS 1.3 a client only learns then whether its certificate was
// accepted. If it wrote before, the answer might be lost. A gRPC server writes first.
func (w *wire) hears(ctx context.Context) error {
	halt := context.AfterFunc(ctx, func() { w.Close() })
	first := make([]byte, 1)
	_, err := w.Conn.Read(first)
	if !halt() {
		return ctx.Err()
	}
	w.first = first
	if err == nil && isLocal(w.NetConn()) {
		w.first, w.bare = nil, w.NetConn().(*records).Conn
	}
	return err
}

// speaks tells the other side of a Unix socket by a byte that it was accepted, and goes on without TLS.
func (w *wire) speaks() error {
	if !isLocal(w.NetConn()) {
		return nil
	}
	_, err := w.Conn.Write([]byte{1})
	w.bare = w.NetConn().(*records).Conn
	return err
}

func (w *wire) Write(b []byte) (int, error) {
	if w.bare != nil {
		return w.bare.Write(b)
	}
	return w.Conn.Write(b)
}

func (w *wire) Read(b []byte) (int, error) {
	if len(w.first) > 0 {
		n := copy(b, w.first)
		w.first = w.first[n:]
		return n, nil
	}
	var n int
	var err error
	if w.bare != nil {
		n, err = w.bare.Read(b)
	} else {
		n, err = w.Conn.Read(b)
	}
	if err != nil {
		w.mu.Lock()
		if w.err == nil {
			w.err = err
		}
		w.mu.Unlock()
	}
	return n, err
}

// trouble returns the first error of Read that came from the peer or from the network.
func (w *wire) trouble() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, net.ErrClosed) {
		return nil
	}
	return w.err
}

func (w *wire) Close() error {
	w.once.Do(func() {
		close(w.closed)
		// Not tls.Conn's own Close, which may wait for a peer that takes no data.
		w.NetConn().Close()
	})
	return nil
}

// ready is gRPC's credentials for connections whose handshake is already done.
type ready struct{}

// wireInfo gives a stream access to its connection.
type wireInfo struct {
	credentials.CommonAuthInfo
	wire *wire
}

func (wireInfo) AuthType() string { return "tls" }

func info(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	w, ok := c.(*wire)
	if !ok {
		return nil, nil, errors.New("mesh: a connection without a TLS handshake")
	}
	return c, wireInfo{credentials.CommonAuthInfo{SecurityLevel: credentials.PrivacyAndIntegrity}, w}, nil
}

func (ready) ClientHandshake(_ context.Context, _ string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return info(c)
}
func (ready) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) { return info(c) }
func (ready) Info() credentials.ProtocolInfo {
	return credentials.ProtocolInfo{SecurityProtocol: "tls"}
}
func (ready) Clone() credentials.TransportCredentials { return ready{} }
func (ready) OverrideServerName(string) error         { return nil }
