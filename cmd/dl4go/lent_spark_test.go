//go:build spark && storage

package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// TestLentURLsOnSpark: an object that is replaced or removed before a worker reads it is read in its new form, or
// named in an error. The errors say that a server is gone, and that Spark can't help. No log and no error contains the
// URLs by which workers read.
func TestLentURLsOnSpark(t *testing.T) {
	master := server(t)
	to, err := url.Parse(os.Getenv("AWS_ENDPOINT_URL"))
	if err != nil || to.Host == "" {
		t.Fatalf("there is no AWS_ENDPOINT_URL: make test-spark (%v)", err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // it is part of the signature
	}}
	meet := make(chan func() bool, 1) // what the next borrower encounters
	var signatures []string
	gate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if signature := r.URL.Query().Get("X-Amz-Signature"); signature != "" {
			next := <-meet
			signatures = append(signatures, signature)
			through := next()
			if !through {
				meet <- next
				panic(http.ErrAbortHandler)
			}
			meet <- func() bool { return true }
		}
		proxy.ServeHTTP(w, r)
	}))
	defer gate.Close()
	t.Setenv("AWS_ENDPOINT_URL", gate.URL)
	var log bytes.Buffer
	e, err := engine.Open(t.Context(), master,
		engine.Options{Attempts: 2, Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	name := storage.Join(os.Getenv("DL4GO_S3"), "lent/x.bin")
	put := func(text string) {
		t.Helper()
		if err := storage.WriteFile(context.Background(), name,
			func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
			t.Error(err)
		}
	}
	for _, c := range []struct {
		name string
		meet func() bool
		want []string // the contents, or parts of the error
		ok   bool
	}{
		{"as it is", func() bool { return true }, []string{"before"}, true},
		{"replaced", func() bool { put("afterwards"); return true },
			[]string{name, "changed while it was in use", "it had 6 bytes, and has 10"}, false},
		{"removed", func() bool { return storage.Remove(context.Background(), name) == nil },
			[]string{name, "file does not exist"}, false},
		{"gone", func() bool { return false }, []string{name, "from " + gate.URL, "ended the connection"}, false},
	} {
		put("before")
		meet <- c.meet
		rows, err := engine.ReadFiles(e, [][]string{{name}}).CollectAll(t.Context())
		<-meet
		got := ""
		if err != nil {
			got = err.Error()
			t.Log(got)
		} else if f, err := engine.FileOf(rows[0]); err != nil {
			t.Error(err)
		} else {
			got = string(f.Content)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) || (err == nil) != c.ok {
				t.Errorf("%s: %s, error %v; wanted %s", c.name, got, err, want)
			}
		}
		for _, s := range signatures {
			if strings.Contains(got+log.String(), s) {
				t.Errorf("%s: a signature is in %s, or in the log", c.name, got)
			}
		}
	}
	if len(signatures) < 4 {
		t.Errorf("workers have asked %d times", len(signatures))
	}
}
