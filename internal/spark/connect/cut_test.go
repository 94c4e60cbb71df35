package connect

import (
	"context"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/dl4go/dl4go/internal/spark/connect/protocol"
)

// cutter stands between a client and a server. It cuts each connection after the next number of bytes in its list,
// counted from the server. After the end of the list it cuts none.
type cutter struct {
	net.Listener
	conns sync.WaitGroup

	mu   sync.Mutex
	to   string
	list []int64
	cuts int
}

func startCutter(t *testing.T, to string, list ...int64) *cutter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{Listener: listener, to: to, list: list}
	c.conns.Add(1)
	go func() {
		defer c.conns.Done()
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			c.conns.Add(1)
			go c.serve(client)
		}
	}()
	t.Cleanup(func() {
		listener.Close()
		c.conns.Wait()
	})
	return c
}

func (c *cutter) serve(client net.Conn) {
	defer c.conns.Done()
	defer client.Close()
	c.mu.Lock()
	to := c.to
	c.mu.Unlock()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer server.Close()
	c.conns.Add(1)
	go func() {
		defer c.conns.Done()
		io.Copy(struct{ io.Writer }{server}, struct{ io.Reader }{client}) // avoids splice, which keeps pipes open
		server.Close()
	}()
	c.mu.Lock()
	limit := int64(1 << 40)
	if len(c.list) > 0 {
		limit, c.list = c.list[0], c.list[1:]
	}
	c.mu.Unlock()
	if n, _ := io.CopyN(struct{ io.Writer }{client}, struct{ io.Reader }{server}, limit); n == limit {
		c.mu.Lock()
		c.cuts++
		c.mu.Unlock()
	}
}

// TestCutConnection cuts the connection in the middle of results, of messages, and of its own start.
func TestCutConnection(t *testing.T) {
	leaves(t)
	f := startFake(t)
	const n, size = 60, 1 << 13
	resume := func(c *fakeCall) error { // as a server that keeps its answers does
		next := 0
		if r, ok := c.request.(*protocol.ReattachExecuteRequest); ok && r.LastResponseId != nil {
			next = len(*r.LastResponseId)
		}
		for ; next < n; next++ {
			if err := c.send(rows(strings.Repeat("x", next+1), int64(next*size), int64((next+1)*size))); err != nil {
				return err
			}
		}
		return c.send(complete("end"))
	}
	f.on("ExecutePlan", resume)
	f.on("ReattachExecute", resume)
	cut := startCutter(t, f.address().Server(), 100_000, 9, 300_000, 70_000, 1_000_000, 65_536, 500_000)
	// While a new connection is made, requests fail at once. How long that takes depends on the machine.
	o := quick()
	o.Retry.Attempts, o.Retry.Longest = 1000, 60*time.Millisecond
	s, err := Open(t.Context(), Address{Host: "127.0.0.1", Port: cut.Addr().(*net.TCPAddr).Port}, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	got, err := values(t.Context(), s, Run{})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]int64, n*size)
	for i := range want {
		want[i] = int64(i)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%d rows, wanted %d", len(got), len(want))
	}
	if cut.mu.Lock(); cut.cuts != 7 {
		t.Errorf("%d cuts", cut.cuts)
	}
	cut.mu.Unlock()
	for _, r := range f.requests("ExecutePlan")[1:] {
		if first := f.requests("ExecutePlan")[0]; !proto.Equal(r, first) {
			t.Errorf("the query came as %v, then as %v", first, r)
		}
	}
}
