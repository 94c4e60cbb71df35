package serving

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	pb "github.com/dl4go/dl4go/internal/serving/protocol"
	"github.com/dl4go/dl4go/serve"
)

// plainHTTP2 returns an HTTP/2 client that sends bodies as they are written.
func plainHTTP2(dial func(context.Context, string, string) (net.Conn, error)) *http.Transport {
	only := new(http.Protocols)
	only.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: only, DialContext: dial}
}

// message begins a call of ModelInfer with a message of this size. The returned function sends more bytes of it, and
// fails when the server no longer reads them. The channel receives the answer.
func message(t *testing.T, client *http.Transport, address string, size int) (func([]byte) error,
	<-chan *http.Response) {
	t.Helper()
	body, w := io.Pipe()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/"+rpcName+"/ModelInfer", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("TE", "trailers")
	answers := make(chan *http.Response, 1)
	go func() {
		answer, err := client.RoundTrip(r)
		if err != nil {
			t.Errorf("the call: %v", err)
			w.CloseWithError(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body) // the status follows in the trailers
		answer.Body.Close()
		w.CloseWithError(io.ErrClosedPipe)
		answers <- answer
	}()
	send := func(b []byte) error {
		_, err := w.Write(b)
		return err
	}
	if err := send(binary.BigEndian.AppendUint32([]byte{0}, uint32(size))); err != nil {
		t.Fatal(err)
	}
	return send, answers
}

// grpcStatus returns the status code of a call and its text.
func grpcStatus(r *http.Response) (code, text string) {
	for _, h := range []http.Header{r.Header, r.Trailer} {
		if h.Get("Grpc-Status") != "" {
			return h.Get("Grpc-Status"), h.Get("Grpc-Message")
		}
	}
	return "", ""
}

// refuse sends a message of this size in pieces, until the server refuses it. It never sends the last byte, so the
// server answers an incomplete message. It returns the bytes sent.
func refuse(send func([]byte) error, size int) int {
	piece := make([]byte, 1<<10)
	for sent := 0; ; {
		n := min(len(piece), size-1-sent)
		if n == 0 || send(piece[:n]) != nil {
			return sent
		}
		sent += n
	}
}

// arrives waits until the server has read what send was given. Writing nothing waits until all of that is on the
// connection. The server reads it before a request that comes after it.
func arrives(t *testing.T, client *http.Transport, address string, send func([]byte) error) {
	t.Helper()
	if err := send(nil); err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusUnsupportedMediaType {
		t.Fatalf("a request that is no call: %s", answer.Status)
	}
}

// TestHeldArrivals: the bytes of a gRPC message count as they arrive. A message is refused while it arrives if there is
// no memory for more. Afterwards all memory is free.
func TestHeldArrivals(t *testing.T) {
	const most, whole = 200 << 10, 900 << 10
	s := start(t, Options{MaxHeld: most}, serve.Options{})
	client := plainHTTP2(nil)
	defer client.CloseIdleConnections()
	for range 2 {
		send, answers := message(t, client, s.rpc.Target(), whole)
		sent := refuse(send, whole)
		if code, text := grpcStatus(<-answers); code != "3" || !strings.Contains(text, "--max-held") {
			t.Errorf("the status is %q (%s)", code, text)
		}
		if sent < most/2 {
			t.Errorf("refused after %d bytes of %d", sent, most)
		}
		await.Until(t, "free memory", func() (any, bool) {
			n := s.held.held.Load()
			return n, n == 0
		})
	}
	large := &pb.ModelInferRequest{ModelName: "none", Id: strings.Repeat("x", most-2000)}
	err := s.rpc.Invoke(t.Context(), "/"+rpcName+"/ModelInfer", large, &pb.ModelInferResponse{})
	if err == nil || !strings.Contains(err.Error(), "no model") {
		t.Errorf("a message that fits: %v", err)
	}
}

// TestHeldByArrivals: two incomplete messages share the memory. Only the one that finds no memory is refused.
func TestHeldByArrivals(t *testing.T) {
	const most, whole = 400 << 10, 300 << 10
	s := start(t, Options{MaxHeld: most}, serve.Options{})
	one, other := plainHTTP2(nil), plainHTTP2(nil)
	defer one.CloseIdleConnections()
	defer other.CloseIdleConnections()
	send, first := message(t, one, s.rpc.Target(), whole)
	if err := send(make([]byte, whole-1)); err != nil {
		t.Fatal(err)
	}
	arrives(t, one, s.rpc.Target(), send)
	if n := s.held.held.Load(); n < whole-1-64<<10 {
		t.Errorf("%d bytes of the first message count", n)
	}
	more, second := message(t, other, s.rpc.Target(), whole)
	refuse(more, whole)
	if code, text := grpcStatus(<-second); code != "8" || !strings.Contains(text, "--max-held") {
		t.Errorf("the second message: status %q (%s)", code, text)
	}
	if err := send(make([]byte, 1)); err != nil {
		t.Errorf("the first message: %v", err)
	}
	if code, text := grpcStatus(<-first); code != "13" { // zeros are not a protobuf message
		t.Errorf("the first message: status %q (%s)", code, text)
	}
}

// TestSlowMessages: if a client sends a byte of a message every second, its call is ended. If it sends a frame or the
// first bytes as slowly, its connection is closed. The test controls the clock.
func TestSlowMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		discard := slog.New(slog.DiscardHandler)
		models, err := OpenRepository(t.Context(), nil, serve.Options{}, discard)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Slow: 10 * time.Second, Timeout: 20 * time.Second, MaxRequest: 1 << 20, Log: discard}
		rpc := newRPC(models, o, &budget{})
		listener := pipes{make(chan net.Conn), make(chan struct{})}
		ended := make(chan error, 1)
		go func() { ended <- rpc.Serve(listener) }()
		dial := func(context.Context, string, string) (net.Conn, error) {
			client, server := net.Pipe()
			listener.to <- server
			return client, nil
		}
		client := plainHTTP2(func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			return newEager(c), err
		})
		send, answers := message(t, client, "server", 1000)
		begin := time.Now()
		for send([]byte("a")) == nil {
			time.Sleep(time.Second)
		}
		if code, text := grpcStatus(<-answers); code != "4" {
			t.Errorf("a slow message: status %q (%s)", code, text)
		}
		if took := time.Since(begin); took < o.Slow+o.Timeout || took > o.Slow+o.Timeout+2*time.Second {
			t.Errorf("a slow message was ended after %v", took)
		}
		client.CloseIdleConnections()
		const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"
		slowFrame(t, dial, "PRI", o.Slow)
		slowFrame(t, dial, preface+"\x00\x03\xe8\x01\x04\x00\x00\x00\x01", 2*o.Slow) // headers of 1000 bytes
		rpc.Stop()
		if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
}

// eager is a pipe that accepts bytes before the other end reads them, as a socket does.
type eager struct {
	net.Conn
	out    chan []byte
	closed context.Context
	close  context.CancelFunc
}

func newEager(c net.Conn) eager {
	e := eager{Conn: c, out: make(chan []byte, 1024)}
	e.closed, e.close = context.WithCancel(context.Background())
	go func() {
		for {
			select {
			case b := <-e.out:
				if _, err := c.Write(b); err != nil {
					return
				}
			case <-e.closed.Done():
				return
			}
		}
	}()
	return e
}

func (e eager) Write(b []byte) (int, error) {
	select {
	case e.out <- bytes.Clone(b):
		return len(b), nil
	case <-e.closed.Done():
		return 0, io.ErrClosedPipe
	}
}

func (e eager) Close() error {
	e.close()
	return e.Conn.Close()
}

// slowFrame sends the beginning of a connection, and then a byte every second, until the server closes the connection.
func slowFrame(t *testing.T, dial func(context.Context, string, string) (net.Conn, error), sends string,
	most time.Duration) {
	client, _ := dial(t.Context(), "", "")
	defer client.Close()
	begin := time.Now()
	cut := make(chan time.Duration, 1)
	go func() {
		_, _ = io.Copy(io.Discard, client) // settings and pings
		cut <- time.Since(begin)
	}()
	_, err := io.WriteString(client, sends)
	for err == nil {
		time.Sleep(time.Second)
		_, err = client.Write([]byte("\x00"))
	}
	if took := <-cut; took < most || took > most+time.Second {
		t.Errorf("%q… was cut off after %v, not after %v", sends, took, most)
	}
}
