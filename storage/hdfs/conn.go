package hdfs

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"time"
)

// How long the server may take.
const (
	dialLimit     = 5 * time.Second
	nameNodeLimit = 20 * time.Second // for a response
	dataNodeLimit = 30 * time.Second // for the next bytes
)

// pause waits, unless the context ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

func dialNameNode(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := dial(ctx, network, address, nameNodeLimit)
	if err != nil {
		return nil, err
	}
	return &framed{Conn: c}, nil
}

// dial connects. The connection is closed when the context ends, even in the middle of an operation.
func dial(ctx context.Context, network, address string, limit time.Duration) (net.Conn, error) {
	c, err := (&net.Dialer{Timeout: dialLimit}).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return timed{c, limit, context.AfterFunc(ctx, func() { c.Close() })}, nil
}

// timed is a connection with a time limit for each operation. It is closed after a failure: a late response would
// belong to another request.
type timed struct {
	net.Conn
	limit time.Duration
	stop  func() bool // stops waiting for the end of the context
}

func (c timed) Close() error {
	c.stop()
	return c.Conn.Close()
}

func (c timed) Read(b []byte) (int, error) {
	c.Conn.SetReadDeadline(time.Now().Add(c.limit))
	n, err := c.Conn.Read(b)
	if err != nil {
		c.Close()
	}
	return n, err
}

func (c timed) Write(b []byte) (int, error) {
	c.Conn.SetWriteDeadline(time.Now().Add(c.limit))
	n, err := c.Conn.Write(b)
	if err != nil {
		c.Close()
	}
	return n, err
}

// SetDeadline does nothing: the library calls it only to remove deadlines.
func (c timed) SetDeadline(time.Time) error { return nil }

// maxAnswer is the maximum length of a response in Hadoop's own client.
const maxAnswer = 128 << 20

var errNoNameNode = errors.New("what answers is not a name node: the port is that of its RPC, usually 8020, and not " +
	"that of its web page")

// framed is a connection to a name node, whose responses begin with their length. The library allocates as much memory
// as the length says, so it must not see a wrong one.
type framed struct {
	net.Conn
	left   uint32  // of the response
	length [4]byte // of the next response, as far as it was read
	have   int
}

func (c *framed) Read(b []byte) (int, error) {
	if c.left == 0 && len(b) > len(c.length)-c.have {
		b = b[:len(c.length)-c.have]
	} else if c.left > 0 && uint32(min(len(b), maxAnswer)) > c.left {
		b = b[:c.left]
	}
	n, err := c.Conn.Read(b)
	if c.left > 0 {
		c.left -= uint32(n)
		return n, err
	}
	c.have += copy(c.length[c.have:], b[:n])
	if c.have == len(c.length) {
		c.have = 0
		if c.left = binary.BigEndian.Uint32(c.length[:]); c.left > maxAnswer {
			c.Close()
			return 0, errNoNameNode
		}
	}
	return n, err
}
