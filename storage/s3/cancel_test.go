package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/internal/storagetest"
	"github.com/dl4go/dl4go/storage"
)

// hanging starts a server that never responds, and reports each request.
func hanging(t *testing.T) <-chan struct{} {
	asked, end := make(chan struct{}, 1000), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-end
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(end) })
	new(fakeServer).ask(t, server.URL)
	return asked
}

// TestCancelled: a request that a server does not answer ends with its context.
func TestCancelled(t *testing.T) {
	asked := hanging(t)
	storagetest.Cancelled(t, "s3://bucket/directory", asked)
	t.Run("Lend", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		storagetest.Leaves(t, func() {
			done := make(chan error, 1)
			go func() {
				_, err := storage.Lend(ctx, []string{"s3://bucket/a", "s3://bucket/b"}, time.Hour)
				done <- err
			}()
			await.From(t, "the server to be asked", asked)
			cancel()
			if err := await.From(t, "the request to end", done); !errors.Is(err, context.Canceled) {
				t.Errorf("it ended with %v", err)
			}
		})
	})
}

// TestCancelledWait: a request that waits for its next attempt ends with its context.
func TestCancelledWait(t *testing.T) {
	f := startFake(t)
	f.objects["/bucket/a"] = []byte("a")
	if _, err := storage.ReadFile(t.Context(), "s3://bucket/a"); err != nil {
		t.Fatal(err)
	}
	f.fails = func(_ int, w http.ResponseWriter, _ *http.Request) bool {
		troubles["503"](w)
		return true
	}
	c, err := own(t).connect()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.wait = func(ctx context.Context, _ time.Duration) error {
		cancel()
		<-ctx.Done()
		return ctx.Err()
	}
	_, err = storage.ReadFile(ctx, "s3://bucket/a")
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}

// TestCancelledReads: the context of Open ends the reads of the file, also in the middle of a response.
func TestCancelledReads(t *testing.T) {
	sent, end := make(chan struct{}, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		from, _, _ := strings.Cut(strings.TrimPrefix(r.Header.Get("Range"), "bytes="), "-")
		w.Header().Set("Content-Range", "bytes "+from+"-"+"/1000000")
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Last-Modified", time.Unix(1_700_000_000, 0).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusPartialContent)
		if from == "0" {
			io.WriteString(w, strings.Repeat("x", firstRead))
			return
		}
		io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		sent <- struct{}{}
		<-end
	}))
	defer server.Close()
	defer close(end)
	new(fakeServer).ask(t, server.URL)
	ctx, cancel := context.WithCancel(t.Context())
	f, err := storage.Open(ctx, "s3://bucket/a")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	storagetest.Leaves(t, func() {
		done := make(chan error, 1)
		go func() { _, err := f.ReadAt(make([]byte, 10), firstRead); done <- err }()
		await.From(t, "the answer to begin", sent)
		cancel()
		if err := await.From(t, "the read to end", done); !errors.Is(err, context.Canceled) {
			t.Errorf("it ended with %v", err)
		}
	})
}
