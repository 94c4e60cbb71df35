package spark

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/worker"
)

// TestRenewedToken changes the driver's token. Running workers must learn it from the session, sealed. New workers must
// read it from a newer file, whatever the files' times are.
func TestRenewedToken(t *testing.T) {
	t.Chdir(t.TempDir())
	f, token := startFake(t, "s"), "first"
	address := f.address()
	address.Token = token
	e := bareEngine(t)
	e.wanted, e.name = map[string]bool{"j1": true}, "run_"
	s, err := connect.Open(t.Context(), address, connect.Options{Log: quiet, Token: func() string { return token }})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	l := &heartbeat{engine: e.wants, session: s, file: heartbeatFile{Addresses: []route{route(address)}, Server: "s",
		Key: e.tokenKey()}}
	write := func(folder string, b []byte, age time.Duration) {
		t.Helper()
		path, at := folder+"/"+e.heartbeatName()+folder, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(-age)
		if err := errors.Join(os.Mkdir(folder, 0o777), os.WriteFile(path, b, 0o666), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	start := func() *heartbeatReader {
		t.Helper()
		file, err := readHeartbeat(e.heartbeatName())
		if err != nil {
			t.Fatal(err)
		}
		return &heartbeatReader{heartbeatFile: file, name: e.heartbeatName(), token: file.token(), job: "j1"}
	}
	asked := func(h *heartbeatReader, want string) {
		t.Helper()
		err := h.ask(t.Context())
		f.mu.Lock()
		defer f.mu.Unlock()
		if got := f.headers[len(f.headers)-1].Get("authorization"); err != nil || len(got) != 1 || got[0] != "Bearer "+want {
			t.Errorf("the worker asked with %q, wanted %q, and was told %v", got, want, err)
		}
	}
	push := func() {
		t.Helper()
		if err := l.push(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	_, first, err := l.file.issue("x", token)
	if err != nil {
		t.Fatal(err)
	}
	l.file = first
	b, _ := json.Marshal(first)
	write("1", b, 0)
	push()
	running, late := start(), start()
	asked(running, "first")
	if len(f.arrived) != 0 || f.settings[tokenKey] != "" {
		t.Errorf("a token that is the same was sent again: %v, %q", f.arrived, f.settings[tokenKey])
	}

	token = "second"
	push()
	push()
	if strings.Contains(f.settings[tokenKey], token) || f.settings[tokenKey] == "" || len(f.arrived) != 1 {
		t.Errorf("the setting is %q, and %d files came", f.settings[tokenKey], len(f.arrived))
	}
	asked(running, "first") // now the worker learns the new token
	asked(running, "second")
	for name, b := range f.arrived {
		if !strings.HasPrefix(name, connect.AsJar+e.heartbeatName()) {
			t.Errorf("the file is %s", name)
		}
		write("2", b, time.Hour)
	}
	asked(start(), "second")

	f.fail(status.Error(codes.Unauthenticated, "expired"))
	if err := late.ask(t.Context()); err == nil || errors.Is(err, worker.ErrGivenUp) {
		t.Errorf("a worker whose token has expired was told %v", err)
	}
	f.fail(nil)
	asked(late, "second")

	running.learn("bm90IHNlYWxlZA==") // not sealed with the key
	asked(running, "second")
}
