package connect

import (
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/await"
)

// TestKilledServer checks that a server whose port refuses connections is given up after fewer attempts than others. It
// is not waited for again until it answers, so cleaning up after a job takes no time.
func TestKilledServer(t *testing.T) {
	f := startFake(t)
	var log logged
	o := quick()
	o.Retry.Attempts, o.Log = 8, slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := f.open(t, o)
	f.on("ExecutePlan", func(*fakeCall) error {
		go f.server.Stop()
		<-t.Context().Done()
		return nil
	})
	_, err := values(t.Context(), s, Run{})
	says(t, err, "after 6 attempts", "connection refused", "is a Spark Connect server running there")
	if n := len(f.requests("Interrupt")); n != 0 || !s.away.Load() {
		t.Errorf("%d interrupts, away: %v", n, s.away.Load())
	}
	log.reset()
	if _, err := s.Get(t.Context(), "x"); err == nil {
		t.Error("a server that was stopped answers")
	}
	if _, err := values(t.Context(), s, Run{}); err == nil {
		t.Error("a server that was stopped runs a query")
	}
	if text := log.String(); strings.Contains(text, "trying again") || strings.Contains(text, "asking for the rest") {
		t.Errorf("it is waited for again: %s", text)
	}
	// Another server listens at its port, which a connection of another process may have for a while.
	var listener net.Listener
	await.Until(t, "the port to be free", func() (any, bool) {
		listener, err = net.Listen("tcp", fmt.Sprint("127.0.0.1:", f.port))
		return err, err == nil
	})
	again := &fake{port: f.port, calls: f.calls, handle: f.handle}
	again.server = newFakeServer(again)
	go again.server.Serve(listener)
	defer again.server.Stop()
	for s.away.Load() && t.Context().Err() == nil {
		s.Get(t.Context(), "x")
	}
}

// TestRefusalsTakeHalfAMinute checks the default options with the longest jitter.
func TestRefusalsTakeHalfAMinute(t *testing.T) {
	s := &link{options: Options{}.withDefaults()}
	refusal := status.Error(codes.Unavailable, "dial tcp 127.0.0.1:1: connect: connection refused")
	total, wait := time.Duration(0), s.options.Retry.First
	for range s.attempts(refusal) - 1 {
		total, wait = total+wait*5/4, min(4*wait, s.options.Retry.Longest)
	}
	if total < 15*time.Second || total > 25*time.Second || s.attempts(unavailable) != 8 {
		t.Errorf("refused, waits are %v; else there are %d attempts", total, s.attempts(unavailable))
	}
}

// logged collects the text of a log.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}
