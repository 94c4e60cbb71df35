package mesh

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"net"
	"runtime"
	"strings"
)

// Processes of one machine can meet at a Unix socket. There they prove by TLS who they are, as elsewhere. Then they go
// on without encryption and without gRPC: the kernel copies the bytes from one process to the other, and nobody in
// between can read them. On TCP, encryption takes most of the time of a large message.

// localScheme begins the address of a Unix socket.
const localScheme = "unix:"

// HasLocal reports whether this system has such sockets in the kernel's own namespace of names. They leave no file
// behind, whatever ends the process.
func HasLocal() bool { return runtime.GOOS == "linux" }

// IsLocal reports whether an address is that of a Unix socket.
func IsLocal(address string) bool { return strings.HasPrefix(address, localScheme) }

func listenLocal() (net.Listener, string, error) {
	var name [16]byte
	rand.Read(name[:])
	at := "@dl4go/mesh/" + hex.EncodeToString(name[:])
	l, err := net.Listen("unix", at)
	return l, localScheme + at, err
}

// nearScheme begins the address of a process that also listens at a Unix socket: the socket's name, a comma, and the
// address by TCP. The name is random and belongs to one machine, or to one network namespace of it. Elsewhere nothing
// listens there.
const nearScheme = "near:"

// Far returns the address by TCP in an address with nearScheme, and any other address unchanged.
func Far(address string) string {
	if rest, near := strings.CutPrefix(address, nearScheme); near {
		_, address, _ = strings.Cut(rest, ",")
	}
	return address
}

func dial(ctx context.Context, address string) (net.Conn, error) {
	if rest, near := strings.CutPrefix(address, nearScheme); near {
		name, _, _ := strings.Cut(rest, ",")
		if c, err := new(net.Dialer).DialContext(ctx, "unix", name); err == nil {
			return c, nil
		}
		address = Far(address)
	}
	if at, local := strings.CutPrefix(address, localScheme); local {
		return new(net.Dialer).DialContext(ctx, "unix", at)
	}
	return new(net.Dialer).DialContext(ctx, "tcp", address)
}

// isLocal reports whether a connection is by a Unix socket.
func isLocal(c net.Conn) bool { return c.RemoteAddr().Network() == "unix" }

// underTLS returns the connection that TLS reads and writes.
func underTLS(c net.Conn) net.Conn {
	if isLocal(c) {
		return &records{Conn: c}
	}
	return c
}

// records never reads past the end of a TLS record: the bytes after the last record are not TLS.
type records struct {
	net.Conn
	header [5]byte // of the current record
	have   int     // bytes of the header read
	left   int     // unread bytes of the record's content
}

func (r *records) Read(b []byte) (int, error) {
	if r.left > 0 {
		n, err := r.Conn.Read(b[:min(len(b), r.left)])
		r.left -= n
		return n, err
	}
	n, err := r.Conn.Read(b[:min(len(b), len(r.header)-r.have)])
	r.have += copy(r.header[r.have:], b[:n])
	if r.have == len(r.header) {
		r.have, r.left = 0, int(r.header[3])<<8|int(r.header[4])
	}
	return n, err
}
