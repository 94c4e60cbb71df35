package process

import (
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
)

// TestIdleProcessKilled checks that a process that is killed between two tasks is replaced with a warning, and one that
// was told to end without.
func TestIdleProcessKilled(t *testing.T) {
	var lines strings.Builder
	s := &slot{process: Options{Silence: time.Hour}, told: new(atomic.Int64),
		options: engine.Options{StopGrace: time.Hour, Log: slog.New(slog.NewTextHandler(&lines,
			&slog.HandlerOptions{Level: slog.LevelWarn}))}}
	defer s.Close()
	ready := func() *child {
		c, err := s.ready()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first := ready()
	first.process.Kill()
	<-first.ended
	second := ready()
	second.end(time.Hour)
	if third := ready(); third == second || third != ready() {
		t.Error("the process that was told to end is not replaced, or its successor is")
	}
	want := fmt.Sprintf("level=WARN msg=\"a worker process without a task was killed (signal 9), by a user or by the "+
		"system for lack of memory; another takes its place\" pid=%d\n", first.process.Pid)
	if got := lines.String(); strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, want) {
		t.Errorf("the log is %q, wanted %q", got, want)
	}
}
