package mesh

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// A link over TCP is a connection with one gRPC stream, which the dialling side opens.
const (
	serviceName = "dl4go.Mesh"
	methodName  = "Link"
)

// window is HTTP/2's window of a connection, which bounds the bytes on their way to a slow peer.
const window = 1 << 20

// aborter is an end of a link.
type aborter interface{ Abort() }

// secure is the transport by gRPC over TCP, and directly over Unix sockets.
type secure struct {
	identity *identity
	options  Options

	mu        sync.Mutex
	closed    bool
	conns     map[aborter]*secureListener // that they came by, if they were accepted
	listeners []*secureListener
}

// NewSecure makes a transport of gRPC streams over TLS 1.3, or over a Unix socket if the Place is Local. Both sides
// prove by certificates that they belong to the job. A process with a worker's credentials can be dialled as a worker
// and can dial any process. A process with the coordinator's credentials can only be dialled.
func NewSecure(c Credentials, o Options) (Transport, error) {
	id, err := newIdentity(c)
	if err != nil {
		return nil, err
	}
	return &secure{identity: id, options: o.withDefaults(), conns: map[aborter]*secureListener{}}, nil
}

// keep notes a link's end, unless the transport is closed. l is nil for an end that dialled.
func (s *secure) keep(c aborter, l *secureListener) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	if l != nil {
		if l.links == s.options.Links {
			return errFull(l.links)
		}
		l.links++
	}
	s.conns[c] = l
	return nil
}

func (s *secure) forget(c aborter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.conns[c]; l != nil {
		l.links--
	}
	delete(s.conns, c)
}

func (s *secure) Close() error {
	s.mu.Lock()
	s.closed = true
	listeners := s.listeners
	var conns []aborter
	for c := range s.conns {
		conns = append(conns, c)
	}
	s.mu.Unlock()
	for _, l := range listeners {
		l.Close()
	}
	for _, c := range conns {
		c.Abort()
	}
	for _, l := range listeners {
		if l.server != nil {
			l.server.Stop()
		}
		l.gate.group.Wait()
		<-l.served
	}
	return nil
}

func (s *secure) Dial(ctx context.Context, to Role, address string) (Conn, error) {
	name := fmt.Sprintf("the %s at %s", to, Far(address))
	ctx, cancel := context.WithTimeout(ctx, s.options.Dial)
	defer cancel()
	raw, err := dial(ctx, address)
	if err != nil {
		return nil, &LinkError{name, "dialling", explain(err)}
	}
	t := tls.Client(underTLS(raw), s.identity.client(to))
	if err := t.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &LinkError{name, "proving who is who", explain(err)}
	}
	w := newWire(t)
	if err := w.hears(ctx); err != nil {
		w.Close()
		return nil, &LinkError{name, "proving who is who", explain(err)}
	}
	open := s.open
	if w.bare != nil {
		open = s.openDirect
	}
	c, err := open(ctx, w, name)
	if err != nil {
		w.Close()
		if said := w.trouble(); said != nil {
			err = said
		}
		return nil, &LinkError{name, "opening a link", explain(err)}
	}
	return c, nil
}

// open opens the stream of a connection.
func (s *secure) open(ctx context.Context, w *wire, name string) (Conn, error) {
	given := make(chan net.Conn, 1)
	given <- w
	cc, err := grpc.NewClient("passthrough:///peer",
		grpc.WithContextDialer(func(context.Context, string) (net.Conn, error) {
			select {
			case c := <-given:
				return c, nil
			default:
				return nil, errors.New("the connection has ended")
			}
		}),
		grpc.WithTransportCredentials(ready{}), grpc.WithDisableServiceConfig(), grpc.WithDisableRetry(),
		grpc.WithIdleTimeout(0), grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: s.options.Alive, Timeout: s.options.Alive}),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec{}), grpc.MaxCallRecvMsgSize(2*partSize),
			grpc.MaxCallSendMsgSize(2*partSize)))
	if err != nil {
		return nil, err
	}
	lasting, stop := context.WithCancel(context.Background())
	c := newStream(s, w, name)
	c.release = func() {
		stop()
		cc.Close()
	}
	halt := context.AfterFunc(ctx, stop) // until it is open
	client, err := cc.NewStream(lasting, &grpc.StreamDesc{StreamName: methodName, ServerStreams: true,
		ClientStreams: true}, "/"+serviceName+"/"+methodName)
	if err == nil {
		// The header says that the other side has accepted the link. Without one, its answer says why not.
		if header, e := client.Header(); e != nil {
			err = e
		} else if header == nil {
			err = client.RecvMsg(&c.in)
		}
	}
	if !halt() && err == nil {
		err = ctx.Err()
	}
	if err == nil {
		c.grpc, c.half = client, client.CloseSend
		err = s.keep(c, nil)
	}
	if err != nil {
		w.Close()
		c.release()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, errors.New(status.Convert(err).Message())
	}
	return c, nil
}

// secureListener takes links that come through a gate: by a server of gRPC, or on a Unix socket by itself.
type secureListener struct {
	transport *secure
	address   string
	gate      *gate
	server    *grpc.Server // nil on a Unix socket
	served    chan struct{}
	arrived   chan Conn
	links     int // guarded by the transport's mu
}

// gate returns the gate at which connections arrive.
func (s *secure) gate(at Place) (*gate, string, error) {
	if p := s.options.Port; p != nil && s.identity.role == Coordinator {
		g, err := p.open(s.identity)
		return g, p.address, err
	}
	l, address, err := at.listen()
	if err != nil {
		return nil, "", err
	}
	return newGate(l, s.identity.server(), s.options), address, nil
}

func (s *secure) Listen(at Place) (Listener, error) {
	l, err := s.listen(at, make(chan Conn))
	if err != nil {
		return nil, err
	}
	if at.Near && !at.Local && HasLocal() {
		near, err := s.listen(Place{Local: true}, l.arrived)
		if err == nil {
			return &nearListener{l, near}, nil
		}
	}
	return l, nil
}

// nearListener also takes links at a Unix socket.
type nearListener struct {
	*secureListener
	near *secureListener
}

func (l *nearListener) Address() string {
	return nearScheme + strings.TrimPrefix(l.near.address, localScheme) + "," + l.address
}

func (l *nearListener) Close() error { return errors.Join(l.secureListener.Close(), l.near.Close()) }

// listen accepts links, which arrive at a channel.
func (s *secure) listen(at Place, arrived chan Conn) (*secureListener, error) {
	g, address, err := s.gate(at)
	if err != nil {
		return nil, err
	}
	n := &secureListener{transport: s, gate: g, address: address, served: make(chan struct{}), arrived: arrived}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		g.Close()
		return nil, ErrClosed
	}
	s.listeners = append(s.listeners, n)
	if IsLocal(address) {
		go n.serveDirect()
		return n, nil
	}
	o := s.options
	n.server = grpc.NewServer(grpc.Creds(ready{}), grpc.ForceServerCodecV2(codec{}), grpc.ConnectionTimeout(o.Handshake),
		grpc.MaxConcurrentStreams(1), grpc.MaxHeaderListSize(16<<10), grpc.MaxRecvMsgSize(2*partSize),
		grpc.MaxSendMsgSize(2*partSize), grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.WaitForHandlers(true),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: o.Alive, Timeout: o.Alive,
			MaxConnectionIdle: o.Handshake}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: o.Alive / 2}))
	n.server.RegisterService(&grpc.ServiceDesc{ServiceName: serviceName, HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			{StreamName: methodName, Handler: n.serve, ServerStreams: true, ClientStreams: true}}}, nil)
	go func() {
		defer close(n.served)
		n.server.Serve(n.gate)
	}()
	return n, nil
}

// serve keeps an accepted stream until it ends.
func (l *secureListener) serve(_ any, g grpc.ServerStream) error {
	p, _ := peer.FromContext(g.Context())
	info, ok := p.AuthInfo.(wireInfo)
	if !ok {
		return status.Error(codes.Unauthenticated, "there is no certificate")
	}
	c := newStream(l.transport, info.wire, fmt.Sprintf("the %s at %s", Worker, info.wire.RemoteAddr()))
	over := make(chan struct{})
	var once sync.Once
	c.listener, c.grpc, c.release = l, g, func() {}
	c.half = func() error {
		once.Do(func() { close(over) })
		return nil
	}
	if err := l.transport.keep(c, l); err != nil {
		return status.Error(codes.ResourceExhausted, err.Error())
	}
	defer l.transport.forget(c)
	if err := g.SendHeader(nil); err != nil {
		return err
	}
	select {
	case l.arrived <- c:
	case <-l.gate.shut:
		return status.Error(codes.Unavailable, "it takes no more links: its process ends")
	case <-g.Context().Done():
		return g.Context().Err()
	}
	select {
	case <-over:
		return nil
	case <-g.Context().Done():
		return g.Context().Err()
	}
}

func (l *secureListener) Accept() (Conn, error) {
	select {
	case c := <-l.arrived:
		return c, nil
	case <-l.gate.shut:
		return nil, ErrClosed
	}
}

func (l *secureListener) Address() string { return l.address }

func (l *secureListener) Close() error { return l.gate.Close() }
