package mesh

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
)

// proxy stands between a worker and its coordinator, like an attacker in the network.
type proxy struct {
	net.Listener
	target string
	// mangle may change the bytes b of the nth connection in one direction. offset is the position of b[0] in the
	// stream.
	mangle func(n int, up bool, offset int, b []byte)

	mu       sync.Mutex
	recorded bytes.Buffer // the first connection's bytes to the coordinator
	count    int
	conns    []net.Conn
	group    sync.WaitGroup
}

func newProxy(t *testing.T, target string) *proxy {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l, target: target, mangle: func(int, bool, int, []byte) {}}
	p.group.Go(p.serve)
	return p
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		d, err := net.Dial("tcp", p.target)
		if err != nil {
			c.Close()
			continue
		}
		p.mu.Lock()
		n := p.count
		p.count++
		p.conns = append(p.conns, c, d)
		p.mu.Unlock()
		p.group.Go(func() { p.copy(n, true, d, c) })
		p.group.Go(func() { p.copy(n, false, c, d) })
	}
}

func (p *proxy) copy(n int, up bool, to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 4096)
	for offset := 0; ; {
		got, err := from.Read(b)
		if got > 0 {
			if n == 0 && up {
				p.mu.Lock()
				p.recorded.Write(b[:got])
				p.mu.Unlock()
			}
			p.mangle(n, up, offset, b[:got])
			offset += got
			if _, err := to.Write(b[:got]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// record returns the bytes that the first connection has sent to the coordinator.
func (p *proxy) record() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return bytes.Clone(p.recorded.Bytes())
}

func (p *proxy) connections() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *proxy) end() {
	p.Close()
	p.mu.Lock()
	for _, c := range p.conns {
		c.Close()
	}
	p.mu.Unlock()
	p.group.Wait()
}

// drain reads until the other side ends the connection.
func drain(c net.Conn) (int64, error) { return io.Copy(io.Discard, c) }
