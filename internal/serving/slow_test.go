package serving

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/serve"
)

// pipes is a listener for connections within the process.
type pipes struct {
	to     chan net.Conn
	closed chan struct{}
}

func (p pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.to:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p pipes) Close() error {
	close(p.closed)
	return nil
}

func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestSlowClients: a client that sends a byte every second is cut off, whether in the headers or in the body. It uses
// a fake clock.
func TestSlowClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discard := slog.New(slog.DiscardHandler)
		models, err := OpenRepository(t.Context(), nil, serve.Options{}, discard)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Slow: 10 * time.Second, Timeout: 20 * time.Second, MaxRequest: 1 << 20, Log: discard}
		web := newWeb(models, o, &budget{})
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		ended := make(chan error, 1)
		go func() { ended <- web.Serve(listener) }()
		for _, c := range []struct {
			sends string
			most  time.Duration
		}{
			{"POST /v2/models/m/infer HTTP/1.1\r\n", o.Slow},
			{"POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\n", o.Slow + o.Timeout},
		} {
			client, server := net.Pipe()
			listener.to <- server
			begin := time.Now()
			cut := make(chan time.Duration, 1)
			go func() {
				_, _ = io.Copy(io.Discard, client) // a response may come first
				cut <- time.Since(begin)
			}()
			_, err := io.WriteString(client, c.sends)
			for err == nil {
				time.Sleep(time.Second)
				_, err = client.Write([]byte("a"))
			}
			if took := <-cut; took < c.most || took > c.most+time.Second {
				t.Errorf("%.50q… was cut off after %v, not after %v", c.sends, took, c.most)
			}
			client.Close()
		}
		if err := web.Close(); err != nil {
			t.Error(err)
		}
		if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
}

// TestGiantHeaders: headers beyond the limit are refused, and the server goes on.
func TestGiantHeaders(t *testing.T) {
	s := start(t, Options{}, serve.Options{})
	c, err := net.Dial("tcp", strings.TrimPrefix(s.web, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go func() { // until the server closes the connection
		_, _ = io.WriteString(c, "GET /v2 HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 4*maxHeaders)+"\r\n\r\n")
	}()
	r, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Body.Close(); r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("giant headers: %s", r.Status)
	}
	if code, _, _ := s.get("/v2"); code != 200 {
		t.Errorf("after giant headers: %d", code)
	}
}
