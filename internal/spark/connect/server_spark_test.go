//go:build spark

package connect

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc/codes"

	"github.com/dl4go/dl4go/internal/arrow"
	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/need"
)

// server is a Spark server for one test, beside the one that the others share.
type server struct {
	t       *testing.T
	name    string
	address Address
	pid     int // of the Connect server, which leads its own process group
}

// startServer starts a Spark with additional configuration, as key=value.
func startServer(t *testing.T, configuration ...string) *server {
	t.Helper()
	need.Time(t, "it starts a Spark of its own")
	s := &server{t: t, name: fmt.Sprint("test-", os.Getpid())}
	t.Cleanup(s.stop)
	s.start(configuration...)
	return s
}

func (s *server) start(configuration ...string) {
	s.t.Helper()
	out, err := s.script("up", "SPARK_CONF="+strings.Join(configuration, " "))
	if err != nil {
		s.t.Fatalf("%v\n%s", err, out)
	}
	var where string
	_, rest, _ := strings.Cut(out, "sc://")
	if _, err := fmt.Sscanf(rest, "%s\n  connect %d", &where, &s.pid); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
	if s.address, err = ParseAddress("sc://" + where); err != nil {
		s.t.Fatal(err)
	}
}

// crash kills the Connect server.
func (s *server) crash() { syscall.Kill(-s.pid, syscall.SIGKILL) }

func (s *server) stop() {
	if out, err := s.script("down"); err != nil {
		s.t.Errorf("%v\n%s", err, out)
	}
}

func (s *server) script(what string, env ...string) (string, error) {
	c := exec.Command("../../../tools/spark.sh", what)
	c.Env = append(os.Environ(), append(env, "SPARK_NAME="+s.name)...)
	out, err := c.CombinedOutput()
	return string(out), err
}

// counter counts the log records with a text.
type counter struct {
	slog.Handler
	text string
	n    *atomic.Int32
}

func (c counter) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, c.text) {
		c.n.Add(1)
	}
	return nil
}

// TestSparkServer tests a server with short streams, a token, and a crash.
func TestSparkServer(t *testing.T) {
	own := startServer(t, "spark.connect.execute.reattachable.senderMaxStreamDuration=500ms",
		"spark.connect.execute.reattachable.senderMaxStreamSize=1m", "spark.connect.grpc.arrow.maxBatchSize=100k",
		"spark.connect.authenticate.token=right")
	a := own.address
	a.Token = "wrong"
	if _, err := Open(t.Context(), a, Options{}); own.authenticates() {
		if e := says(t, err, "another token"); e.Code != codes.Unauthenticated {
			t.Errorf("code %v", e.Code)
		}
	}
	a.Token = "right"
	var streams atomic.Int32
	o := Options{Log: slog.New(counter{slog.NewTextHandler(io.Discard, &slog.HandlerOptions{Level: slog.LevelDebug}),
		"next stream", &streams})}
	o.Retry.Longest = 400 * time.Millisecond

	// The session reaches the server through this proxy, which leads to another server later.
	way := startCutter(t, a.Server(), 20_000, 700_000, 300_000)
	a.Port = way.Addr().(*net.TCPAddr).Port
	s, err := Open(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())

	const n = 2_000_000
	next := int64(0)
	if err := s.Collect(t.Context(), Range(0, n, 1, 4), Run{}, func(b *arrow.Batch) error {
		for i := range b.Rows {
			if got := b.Columns[0].Int(i); got != next {
				return fmt.Errorf("row %d is %d", next, got)
			}
			next++
		}
		return nil
	}); err != nil || next != n {
		t.Errorf("%d rows of %d, %v", next, n, err)
	}
	if streams.Load() < 5 {
		t.Errorf("the rows came in %d streams; servers were to end each after 1 MB", streams.Load()+1)
	}
	streams.Store(0)
	// So does a query that has no rows for a while.
	over := filepath.Join(t.TempDir(), "over")
	rows, ended := 0, make(chan error, 1)
	go func() {
		ended <- s.Collect(t.Context(), SQL("SELECT TRANSFORM(id) USING 'cat; until [ -e "+over+" ]; do sleep 0.1; done' AS "+
			"(id STRING) FROM range(0, 1, 1, 1)"), Run{}, func(b *arrow.Batch) error {
			rows += b.Rows
			return nil
		})
	}()
	await.Until(t, "a silent query's streams", func() (any, bool) {
		n := streams.Load()
		return n, n >= 8
	})
	if err := os.WriteFile(over, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil || rows != 1 {
		t.Errorf("a silent query gives %d rows, %v", rows, err)
	}

	// The server crashes in the middle, and another takes its place.
	begun := make(chan struct{})
	done := make(chan error, 1)
	o.Retry.Longest, o.Retry.Attempts = 2*time.Second, 200 // a busy machine takes minutes to start Spark
	lasting, err := Open(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	defer lasting.Close(context.Background())
	go func() {
		first := sync.OnceFunc(func() { close(begun) })
		done <- lasting.Collect(t.Context(), Range(0, 1000, 1,
			1000).Select(Text("java_method('java.lang.Thread', 'sleep', bigint(1000))")),
			Run{}, func(*arrow.Batch) error { first(); return nil })
	}()
	select {
	case <-begun:
	case err := <-done:
		t.Fatalf("a query that takes minutes ended: %v", err)
	}
	own.crash()
	own.stop()
	own.start()
	way.mu.Lock()
	way.to = own.address.Server()
	way.mu.Unlock()
	err = <-done
	if e := says(t, err, "was restarted"); !e.Gone() {
		t.Errorf("%+v", e)
	}
	t.Log(err)
	again, err := Open(t.Context(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, collect(t, again, SQL("SELECT 1")), "1")
	if err := again.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// authenticates reports whether the server's version checks tokens itself.
func (s *server) authenticates() bool { return os.Getenv("SPARK") == "" || os.Getenv("SPARK") >= "4" }
