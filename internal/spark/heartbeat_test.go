package spark

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// TestSilentDriver checks that a driver may be silent for almost a minute, as if its machine slept or its connection
// broke.
func TestSilentDriver(t *testing.T) {
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	h := &heartbeatReader{job: "j1"}
	for _, c := range []struct {
		after time.Duration
		value string
		dead  bool
	}{{0, "1 j1", false}, {15 * time.Second, "1 j1", false}, {30 * time.Second, "1 j1", false},
		{45 * time.Second, "1 j1", false},
		{59 * time.Second, "1 j1", false}, {60 * time.Second, "2 j1", false}, {61 * time.Second, "2 j1", false},
		{62 * time.Second, "2 j1", false},
		{63 * time.Second, "2 j1", false}, {64 * time.Second, "2 j1", false}, {119 * time.Second, "2 j1", false},
		{121 * time.Second, "2 j1", true}} {
		if err := h.judge(c.value, begin.Add(c.after)); errors.Is(err, worker.ErrGivenUp) != c.dead {
			t.Errorf("after %v: %v", c.after, err)
		}
	}
}

// TestOtherHeartbeats checks that a job begins even if another session of its engine can't get its heartbeat.
func TestOtherHeartbeats(t *testing.T) {
	f, away := startFake(t, "s"), startFake(t, "other")
	e := bareEngine(t)
	c := &carrier{engine: e.sessions, catalogue: catalogue{f.open(t, f.address())}}
	c.heartbeat = &heartbeat{engine: e.wants, session: c.session}
	e.heartbeats = []*heartbeat{{engine: e.wants, session: away.open(t, away.address())}, c.heartbeat}
	away.fail(status.Error(codes.PermissionDenied, "no"))
	if err := c.want(t.Context(), "j1"); err != nil || f.settings[heartbeatKey] != "1 j1" {
		t.Errorf("%v, told %q", err, f.settings[heartbeatKey])
	}
}

// TestUnheardJobIsRepeated checks that a job is repeated if a worker took a live driver for dead, but not if the
// session has ended.
func TestUnheardJobIsRepeated(t *testing.T) {
	for cause, again := range map[string]bool{
		worker.ErrGivenUp.Error() + ": its heartbeat has been missing for 1m1s": true,
		worker.ErrGivenUp.Error() + ": " + sessionEnded:                         false,
		"something else": false,
	} {
		b, err := json.Marshal(worker.Failure{Cause: cause})
		if err != nil {
			t.Fatal(err)
		}
		e := &connect.Error{Message: "Subprocess exited with status 1. Error: x\n" + causeMark + string(b) + "\n"}
		if got, _ := repeatable(e); got != again {
			t.Errorf("%q: repeated %v", cause, got)
		}
	}
}
