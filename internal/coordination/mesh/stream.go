package mesh

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/coordination"
)

// stream is an end of a gRPC link.
type stream struct {
	transport *secure
	listener  *secureListener // by which it came; nil at the dialling end
	wire      *wire
	peer      string
	grpc      interface {
		SendMsg(any) error
		RecvMsg(any) error
	}
	half    func() error // ends this side's sending
	release func()       // what Abort does besides ending the connection

	patience  *time.Timer
	impatient atomic.Bool
	closing   atomic.Bool
	given     atomic.Bool // given up by Abort
	aborted   sync.Once
	receiving sync.Mutex
	in        frame
	out       part
}

func newStream(t *secure, w *wire, peer string) *stream {
	c := &stream{transport: t, wire: w, peer: peer, in: frame{limit: t.options.MaxMessage}}
	c.patience = time.AfterFunc(time.Hour, func() {
		c.impatient.Store(true)
		c.Abort()
	})
	c.patience.Stop()
	return c
}

// failed returns the cause of a failure: the connection's own error says more than gRPC's.
func (c *stream) failed(did string, err error) error {
	switch said := c.wire.trouble(); {
	case c.impatient.Load():
		err = errImpatient(c.transport.options.Patience)
	case c.closing.Load(), c.given.Load():
		err = ErrClosed
	case said != nil && !errors.Is(said, io.EOF):
		err = explain(said)
	case status.Code(err) == codes.Canceled:
		err = errBroken
	default:
		err = fmt.Errorf("%w (%s)", errBroken, status.Convert(err).Message())
	}
	return &LinkError{c.peer, did, err}
}

func (c *stream) Send(m coordination.Message) error {
	size, limit := coordination.Size(m), c.transport.options.MaxMessage
	if size > limit {
		return &LinkError{c.peer, "sending", &lengthError{size, limit}}
	}
	if c.closing.Load() {
		return &LinkError{c.peer, "sending", ErrClosed}
	}
	b := frames.Get(size)
	*b = coordination.Encode((*b)[:0], c.transport.identity.job, m)
	whole := mem.NewBuffer(b, &frames)
	defer whole.Free()
	defer c.patience.Stop()
	for from := 0; from < size; from += partSize {
		to := min(size, from+partSize)
		c.out = part{size - to, whole.Slice(from, to)}
		c.patience.Reset(c.transport.options.Patience)
		if err := c.grpc.SendMsg(&c.out); err != nil {
			return c.failed("sending", err)
		}
	}
	return nil
}

func (c *stream) Receive(alive func()) (coordination.Message, error) {
	c.receiving.Lock()
	defer c.receiving.Unlock()
	c.in.reset()
	for {
		if err := c.grpc.RecvMsg(&c.in); err == io.EOF && !c.closing.Load() {
			return nil, io.EOF
		} else if err != nil {
			return nil, c.failed("receiving", err)
		}
		if c.in.err != nil {
			c.Abort()
			return nil, &LinkError{c.peer, "receiving", c.in.err}
		}
		if c.closing.Load() {
			return nil, c.failed("receiving", ErrClosed)
		}
		if c.in.rest == 0 {
			break
		}
		alive()
	}
	m, err := coordination.Decode(c.in.data, c.transport.identity.job)
	if err != nil {
		c.Abort()
		return nil, &LinkError{c.peer, "receiving", err}
	}
	c.in.recycle(m)
	return m, nil
}

// Close ends this side's sending and waits until the other side has taken everything and ended the connection.
func (c *stream) Close() {
	defer time.AfterFunc(c.transport.options.Linger, c.Abort).Stop()
	defer c.Abort()
	c.closing.Store(true)
	c.half()
	if c.listener != nil {
		<-c.wire.closed
		return
	}
	c.receiving.Lock()
	defer c.receiving.Unlock()
	for c.grpc.RecvMsg(&c.in) == nil {
		c.in.reset()
	}
}

func (c *stream) Abort() {
	c.aborted.Do(func() {
		c.given.Store(true)
		c.wire.Close()
		c.release()
		c.patience.Stop()
		c.transport.forget(c)
	})
}

func (c *stream) Peer() string { return c.peer }
