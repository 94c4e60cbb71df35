package mesh

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dl4go/dl4go/internal/coordination"
)

// direct is an end of a link over a Unix socket. Messages bypass gRPC, whose copies and small pieces cost more than the
// socket. A message is a header of 8 bytes and its frame (coordination.Encode). The header holds the frame's length.
// Its highest byte holds the number of bytes to leave free before the frame, so that the longest vector in the frame is
// aligned in the receiver's memory. A header of length 0 means that no message follows.
//
// The listening end speaks first. It sends an empty header if it accepts the link, or otherwise one message with the
// reason.
type direct struct {
	transport *secure
	wire      *wire
	peer      string
	in        *bufio.Reader
	out       []byte // buffer of Send
	ended     bool   // the peer has closed the link

	closing   atomic.Bool
	given     atomic.Bool // set by Abort
	aborted   sync.Once
	receiving sync.Mutex
}

const (
	directHeader = 8
	directBuffer = 16 << 10
	chunk        = 1 << 20 // part of a message that the peer must accept within Options.Patience
	alignment    = 64
	directGrows  = 64 << 20 // like grows: the peer is a process of this job on this machine
	refusalMost  = 4 << 10
)

func newDirect(t *secure, w *wire, peer string) *direct {
	return &direct{transport: t, wire: w, peer: peer, in: bufio.NewReaderSize(w, directBuffer),
		out: make([]byte, directHeader, directBuffer)}
}

// directHead returns the header of a frame. longest is the offset of its longest vector.
func directHead(size, longest int) uint64 {
	return uint64(size) | uint64(-longest&(alignment-1))<<56
}

// failed returns the error of a failed operation.
func (c *direct) failed(did string, err error) error {
	switch {
	case c.closing.Load(), c.given.Load():
		err = ErrClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		err = errImpatient(c.transport.options.Patience)
		c.Abort()
	default:
		err = errBroken
	}
	return &LinkError{c.peer, did, err}
}

func (c *direct) Send(m coordination.Message) error {
	size, limit := coordination.Size(m), c.transport.options.MaxMessage
	if size > limit {
		return &LinkError{c.peer, "sending", &lengthError{size, limit}}
	}
	if c.closing.Load() {
		return &LinkError{c.peer, "sending", ErrClosed}
	}
	pieces, longest := coordination.Split(c.out[:directHeader], c.transport.identity.job, m)
	binary.LittleEndian.PutUint64(pieces[0], directHead(size, longest))
	for _, p := range pieces {
		if err := c.write(p); err != nil {
			return c.failed("sending", err)
		}
	}
	return nil
}

// write sends bytes. The peer must accept each chunk within Options.Patience.
func (c *direct) write(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), chunk)
		if err := c.wire.bare.SetWriteDeadline(time.Now().Add(c.transport.options.Patience)); err != nil {
			return err
		}
		if _, err := c.wire.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// Receive reads the next message. The message keeps the memory of its frame.
func (c *direct) Receive(alive func()) (coordination.Message, error) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	if c.ended {
		return nil, io.EOF
	}
	b, err := c.read(alive)
	if c.closing.Load() {
		return nil, &LinkError{c.peer, "receiving", ErrClosed}
	}
	if err != nil {
		return nil, err
	}
	m, err := coordination.Decode(b, c.transport.identity.job)
	if err != nil {
		c.Abort()
		return nil, &LinkError{c.peer, "receiving", err}
	}
	return m, nil
}

// head reads a header, and notes if the peer has closed the link.
func (c *direct) head() (size, shift int, err error) {
	var b [directHeader]byte
	if _, err := io.ReadFull(c.in, b[:]); err != nil {
		return 0, 0, err
	}
	h := binary.LittleEndian.Uint64(b[:])
	c.ended = h == 0
	return int(h & (1<<56 - 1)), int(h >> 56), nil
}

// read reads a frame. It returns io.EOF after the peer has closed the link.
func (c *direct) read(alive func()) ([]byte, error) {
	size, shift, err := c.head()
	if err != nil {
		return nil, c.failed("receiving", err)
	}
	limit := c.transport.options.MaxMessage
	switch {
	case c.ended:
		return nil, io.EOF
	case size > limit:
		c.Abort()
		return nil, &LinkError{c.peer, "receiving",
			fmt.Errorf("it announces one that is longer: %w", &lengthError{size, limit})}
	case shift >= alignment:
		c.Abort()
		return nil, &LinkError{c.peer, "receiving",
			fmt.Errorf("it wants %d bytes of room before a message, below %d are allowed", shift, alignment)}
	}
	end := shift + size
	b := make([]byte, shift, min(end, directGrows))
	for len(b) < end {
		if len(b) == cap(b) {
			b = append(make([]byte, 0, min(end, 2*cap(b))), b...)
		}
		from := len(b)
		b = b[:min(cap(b), end, from+chunk)]
		if _, err := io.ReadFull(c.in, b[from:]); err != nil {
			return nil, c.failed("receiving", err)
		}
		if len(b) < end {
			alive()
		}
	}
	return b[shift:], nil
}

// Close announces that no message follows, and waits until the other side has closed or aborted the link.
func (c *direct) Close() {
	defer time.AfterFunc(c.transport.options.Linger, c.Abort).Stop()
	defer c.Abort()
	c.closing.Store(true)
	if c.write(make([]byte, directHeader)) != nil {
		return
	}
	c.receiving.Lock()
	defer c.receiving.Unlock()
	for !c.ended {
		size, _, err := c.head()
		if err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c.in, int64(size)); err != nil {
			return
		}
	}
}

func (c *direct) Abort() {
	c.aborted.Do(func() {
		c.given.Store(true)
		c.wire.Close()
		c.transport.forget(c)
	})
}

func (c *direct) Peer() string { return c.peer }
