package spark

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/spark/connect"
	"github.com/dl4go/dl4go/internal/spark/endpoint"
)

// TestTokenThatIsReplaced checks that requests, and the addresses that workers get, have the token that is in the file
// when they are made. While there is no file, they have the last token.
func TestTokenThatIsReplaced(t *testing.T) {
	f := startFake(t, "s")
	file := filepath.Join(t.TempDir(), "token")
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(token string) {
		at = at.Add(time.Minute)
		if err := errors.Join(os.WriteFile(file, []byte(token+"\n"), 0o600), os.Chtimes(file, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	_, o, err := endpoint.Named("sc://localhost",
		engine.Options{Log: quiet, Connection: engine.Connection{TokenFile: file}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := connect.Open(t.Context(), f.address().WithToken("first"), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(t.Context())
	for _, c := range []struct{ written, want string }{{"first", "first"}, {"second", "second"}, {"", "second"},
		{"third", "third"}} {
		write(c.written)
		if _, err := s.Get(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		f.mu.Lock()
		got := f.headers[len(f.headers)-1].Get("authorization")
		f.mu.Unlock()
		if len(got) != 1 || got[0] != "Bearer "+c.want {
			t.Errorf("with %q in the file, the request had %q", c.written, got)
		}
		if got := s.Address().Token; got != c.want {
			t.Errorf("with %q in the file, workers would get %q", c.written, got)
		}
	}
}
