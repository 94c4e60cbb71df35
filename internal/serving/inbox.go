package serving

import (
	"context"
	"net"
	"sync"

	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
)

// inbox counts the bytes of incomplete gRPC messages on a connection. gRPC gathers a message before it calls the
// handler, so only the connection sees the bytes as they arrive. When a message is complete, the handler counts it.
type inbox struct {
	mu      sync.Mutex
	bytes   share             // bytes that arrived while messages were incomplete
	reading map[*arrival]bool // streams whose message is incomplete
}

// arrival is a stream whose message is incomplete.
type arrival struct {
	at      *inbox
	header  int        // bytes of its headers
	refused chan error // receives the reason if there is no memory for its message
}

type arrivalKey struct{}

// framing limits the bytes around a message besides its headers: a few frames, and 1/512 of a long message for its
// frames, with TLS.
func framing(message int) int { return 64 + message/512 }

// begin adds a stream whose message has yet to arrive.
func (in *inbox) begin(ctx context.Context) (context.Context, *arrival) {
	a := &arrival{at: in, refused: make(chan error, 1)}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.reading[a] = true
	return context.WithValue(ctx, arrivalKey{}, a), a
}

// end removes a stream whose message has arrived, with this many bytes on the wire, or was abandoned.
func (a *arrival) end(message int) {
	in := a.at
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.reading[a] {
		return
	}
	if delete(in.reading, a); len(in.reading) == 0 {
		in.bytes.give(in.bytes.taken)
		return
	}
	in.bytes.give(min(in.bytes.taken, int64(message+a.header+framing(message))))
}

// arrived counts bytes that were read from the connection. If there is no memory for them, it refuses all streams whose
// message is incomplete. Bytes that arrive before these streams have ended are not counted: at most the rest of their
// messages, each of which --max-request bounds. Ending a stream needs neither memory nor a word from the client. While
// no message is incomplete, it counts nothing: the bytes are headers, pings and windows.
func (in *inbox) arrived(n int) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if len(in.reading) == 0 {
		return
	}
	err := in.bytes.take(int64(n))
	if err == nil {
		return
	}
	if len(in.reading) > 1 { // a single one of them may well fit
		err = errHeld
	}
	for a := range in.reading {
		select {
		case a.refused <- err:
		default: // it was refused already
		}
	}
}

// arrive reads the message of a stream, unless the message is refused while it arrives.
func arrive(ctx context.Context, read func() error) error {
	a, ok := ctx.Value(arrivalKey{}).(*arrival)
	if !ok {
		return read()
	}
	there := make(chan error, 1)
	go func() { there <- read() }() // it ends with the stream, which ends with the answer
	select {
	case err := <-there:
		return err
	case err := <-a.refused:
		return status.Error(outcomeOf(err).grpc(), err.Error())
	}
}

// inboxOf returns the inbox of a stream's connection.
func inboxOf(ctx context.Context) *inbox {
	if p, ok := peer.FromContext(ctx); ok {
		if a, ok := p.Addr.(inboxAddr); ok {
			return a.inbox
		}
	}
	return nil
}

// meteredListener gives each connection an inbox.
type meteredListener struct {
	net.Listener
	held *budget
}

func (l meteredListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &meteredConn{c, &inbox{bytes: share{of: l.held}, reading: map[*arrival]bool{}}}, nil
}

type meteredConn struct {
	net.Conn
	inbox *inbox
}

func (c *meteredConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.inbox.arrived(n)
	return n, err
}

// RemoteAddr also passes the inbox to gRPC's handlers.
func (c *meteredConn) RemoteAddr() net.Addr { return inboxAddr{c.Conn.RemoteAddr(), c.inbox} }

type inboxAddr struct {
	net.Addr
	inbox *inbox
}

// messages tells the inboxes when the messages of streams are complete.
type messages struct{}

func (messages) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (messages) HandleRPC(ctx context.Context, s stats.RPCStats) {
	a, ok := ctx.Value(arrivalKey{}).(*arrival)
	if !ok {
		return
	}
	switch s := s.(type) {
	case *stats.InHeader:
		a.header = s.WireLength
	case *stats.InPayload:
		a.end(s.WireLength)
	}
}

func (messages) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (messages) HandleConn(context.Context, stats.ConnStats) {}
