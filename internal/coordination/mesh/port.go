package mesh

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"sync"
	"time"
)

// Port is an address at which the processes of several jobs arrive. The server name in a connection's handshake tells
// its job. Each job has its own certificates here, as elsewhere.
type Port struct {
	address string
	gate    *gate
	served  chan struct{}

	mu     sync.Mutex
	closed bool
	jobs   map[string]*entrance // by the name in the coordinator's certificate
}

// entrance admits the connections of a job.
type entrance struct {
	*gate
	identity *identity
}

// NewPort takes over a listener, which others reach at an address. Of the options it uses Handshake and Log.
func NewPort(l net.Listener, address string, o Options) *Port {
	p := &Port{address: address, served: make(chan struct{}), jobs: map[string]*entrance{}}
	p.gate = newGate(l, &tls.Config{MinVersion: tls.VersionTLS13, GetConfigForClient: p.config}, o.withDefaults())
	go p.serve()
	return p
}

// Address returns the address that others dial.
func (p *Port) Address() string { return p.address }

// config returns the TLS configuration of the job that a connection asks for.
func (p *Port) config(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	e := p.find(hello.ServerName)
	if e == nil {
		return nil, fmt.Errorf("it asks for %q, which is not here: its job is over, or of another coordinator",
			hello.ServerName)
	}
	return e.identity.server(), nil
}

func (p *Port) find(name string) *entrance {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.jobs[name]
}

// serve passes connections to their jobs.
func (p *Port) serve() {
	defer close(p.served)
	var group sync.WaitGroup
	defer group.Wait()
	for {
		c, err := p.gate.Accept()
		if err != nil {
			return
		}
		w := c.(*wire)
		e := p.find(w.ConnectionState().ServerName)
		if e == nil {
			w.Close()
			continue
		}
		group.Go(func() {
			select {
			case e.ready <- w:
			case <-e.shut:
				w.Close()
			case <-p.gate.shut:
				w.Close()
			}
		})
	}
}

// open makes the entrance of a job. Close of its gate, or of the Port, closes it.
func (p *Port) open(id *identity) (*gate, error) {
	name := certified(id.role, id.job)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, ErrClosed
	}
	if p.jobs[name] != nil {
		return nil, fmt.Errorf("mesh: %s listens at this port already", name)
	}
	g := &gate{Listener: p.gate.Listener, ready: make(chan *wire), shut: make(chan struct{})}
	g.close = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.jobs, name)
	}
	p.jobs[name] = &entrance{g, id}
	return g, nil
}

// Close closes all entrances.
func (p *Port) Close() error {
	p.mu.Lock()
	p.closed = true
	var all []*entrance
	for _, e := range p.jobs {
		all = append(all, e)
	}
	p.mu.Unlock()
	for _, e := range all {
		e.Close()
	}
	p.gate.Close()
	p.gate.group.Wait()
	<-p.served
	return nil
}

// control is the protocol of control connections, which carry no messages of package coordination.
const control = "dl4go-control"

// ListenControl returns a listener for the connections that workers make by Credentials.DialControl. This side must
// write first.
func (p *Port) ListenControl(c Credentials) (net.Listener, error) {
	id, err := newIdentity(c)
	if err != nil {
		return nil, err
	}
	id.protocol = control
	return p.open(id)
}

// DialControl connects to the process that listens with the coordinator's credentials of the same Pair. Its machine
// must take the connection within reach; the process may take longer. Errors are of type *LinkError.
func (c Credentials) DialControl(ctx context.Context, address string, reach time.Duration) (net.Conn, error) {
	name := fmt.Sprintf("the %s at %s", Coordinator, address)
	id, err := newIdentity(c)
	if err != nil {
		return nil, err
	}
	id.protocol = control
	raw, err := (&net.Dialer{Timeout: reach}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, &LinkError{name, "dialling", explain(err)}
	}
	t := tls.Client(raw, id.client(Coordinator))
	if err = t.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, &LinkError{name, "proving who is who", explain(err)}
	}
	w := newWire(t)
	if err = w.hears(ctx); err == nil {
		return w, nil
	}
	w.Close()
	return nil, &LinkError{name, "proving who is who", explain(err)}
}
