package spark

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// TestHeartbeatReaderOfOtherServers checks that the answer of a server that is not the driver's doesn't end a worker.
// If the request has the server's name for the session, that server refuses it. Without a name, as for Spark 3.5, it
// has no heartbeat.
func TestHeartbeatReaderOfOtherServers(t *testing.T) {
	for _, name := range []string{"driver's", ""} {
		other, right := startFake(t, "other"), startFake(t, name)
		if name == "" {
			other.name = ""
		} else { // that is known not to be the driver's server
			other.set(heartbeatKey, "1 j2")
		}
		f := heartbeatFile{Addresses: []route{route(other.address())}, Server: name}
		h := &heartbeatReader{heartbeatFile: f, job: "j1"}
		for range 2 * heartbeatSame {
			if err := h.ask(t.Context()); err == nil || errors.Is(err, worker.ErrGivenUp) {
				t.Fatalf("server %q: told %v by another server", name, err)
			}
		}
		h.Addresses = append(h.Addresses, route(right.address()))
		if err := h.ask(t.Context()); err == nil || errors.Is(err, worker.ErrGivenUp) {
			t.Errorf("server %q: told %v before the driver has said anything", name, err)
		}
		right.set(heartbeatKey, "1 j1 j2")
		if err := h.ask(t.Context()); err != nil {
			t.Errorf("server %q: told %v of a job that is wanted", name, err)
		}
		right.set(heartbeatKey, "2 j2")
		if err := h.ask(t.Context()); !errors.Is(err, worker.ErrGivenUp) || !strings.Contains(err.Error(), "j1") {
			t.Errorf("server %q: told %v of a job that isn't wanted", name, err)
		}
		right.set(heartbeatKey, "")
		if err := h.ask(t.Context()); !errors.Is(err, worker.ErrGivenUp) {
			t.Errorf("server %q: told %v where the heartbeat was taken away", name, err)
		}
		if name != "" && (len(right.observed) == 0 || right.observed[0] != name) {
			t.Errorf("the session was asked for as %q", right.observed)
		}
	}
}

// TestHeartbeatReaderOfEndedSession checks that a worker believes the server that its session was closed, before and
// after it has seen the heartbeat. It believes that the session was changed only after.
func TestHeartbeatReaderOfEndedSession(t *testing.T) {
	closed := status.Error(codes.Internal, "[INVALID_HANDLE.SESSION_CLOSED] The handle is invalid.")
	changed := status.Error(codes.Internal, "[INVALID_HANDLE.SESSION_CHANGED] The handle is invalid.")
	for _, c := range []struct {
		seen  bool
		err   error
		given bool
	}{{false, closed, true}, {false, changed, false}, {true, closed, true}, {true, changed, true},
		{true, status.Error(codes.Unavailable, "down"), false}} {
		f := startFake(t, "driver's")
		f.set(heartbeatKey, "1 j1")
		h := &heartbeatReader{heartbeatFile: heartbeatFile{Addresses: []route{route(f.address())}, Server: f.name}, job: "j1"}
		if c.seen {
			if err := h.ask(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		f.fail(c.err)
		if err := h.ask(t.Context()); err == nil || errors.Is(err, worker.ErrGivenUp) != c.given {
			t.Errorf("seen %v, answer %v: told %v", c.seen, c.err, err)
		}
	}
	if err := (&heartbeatReader{}).ask(t.Context()); err == nil || errors.Is(err, worker.ErrGivenUp) {
		t.Errorf("without an address: told %v", err)
	}
}

// TestHeartbeatFile checks that a worker reads every part of the addresses that the driver wrote.
func TestHeartbeatFile(t *testing.T) {
	a, err := connect.ParseAddress("sc://h/;token=secret;x-key=value;user_id=me")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	b, err := json.Marshal(heartbeatFile{Addresses: []route{route(a)}, Server: "s", Every: time.Minute})
	if err == nil {
		err = errors.Join(os.Mkdir("x", 0o777), os.WriteFile("x/heartbeat", b, 0o666))
	}
	if err != nil {
		t.Fatal(err)
	}
	l, err := openHeartbeat(json.RawMessage(`"heartbeat"`), "j1")
	var got heartbeatFile
	if err := errors.Join(err, json.Unmarshal(b, &got)); err != nil || l.Every != time.Minute ||
		!reflect.DeepEqual(got.Addresses, []route{route(a)}) || got.Server != "s" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestHalfCopiedHeartbeatFile checks that a worker reads the previous session's file while Spark copies the newest.
func TestHalfCopiedHeartbeatFile(t *testing.T) {
	t.Chdir(t.TempDir())
	whole, err := json.Marshal(heartbeatFile{Server: "s", Every: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, b := range [][]byte{whole, whole[:len(whole)/2]} {
		path := []string{"x/heartbeat", "y/heartbeat"}[i]
		if err := errors.Join(os.Mkdir(path[:1], 0o777), os.WriteFile(path, b, 0o666),
			os.Chtimes(path, at, at.Add(time.Duration(i)*time.Hour))); err != nil {
			t.Fatal(err)
		}
	}
	if l, err := openHeartbeat(json.RawMessage(`"heartbeat"`), "j1"); err != nil || l.Every != time.Minute {
		t.Errorf("%+v, %v", l, err)
	}
}
