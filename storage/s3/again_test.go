package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// TestThrottled: every operation succeeds although the server responded ten times to each request that it was busy.
func TestThrottled(t *testing.T) {
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			f := startFake(t)
			text := strings.Repeat("text ", 30_000)
			f.objects["/bucket/a"] = []byte(text)
			if _, err := storage.ReadFile(context.Background(), "s3://bucket/a"); err != nil { // it has responded
				t.Fatal(err)
			}
			b, err := own(t).borrower() // and workers too
			if err != nil {
				t.Fatal(err)
			}
			b.answered.Store(true)
			seen := make(map[string]int)
			f.fails = func(_ int, w http.ResponseWriter, r *http.Request) bool {
				what := r.Method + r.URL.String() + r.Header.Get("Range") + r.Header.Get("If-None-Match")
				if r.URL.Query().Has("X-Amz-Signature") {
					what = "loan"
				}
				if seen[what]++; seen[what] > 10 {
					return false
				}
				trouble(w)
				return true
			}
			if b, err := storage.ReadFile(context.Background(), "s3://bucket/a"); string(b) != text || err != nil {
				t.Errorf("read: %d bytes, %v", len(b), err)
			}
			if err := own(t).Put(context.Background(), "s3://bucket/b", strings.NewReader("b"), 1); err != nil ||
				string(f.objects["/bucket/b"]) != "b" {
				t.Errorf("written: %v", err)
			}
			files := 3
			if name == "503" {
				files++
				large := strings.Repeat("0123456789abcdef", partSize/16+1)
				if err := own(t).Put(context.Background(), "s3://bucket/large", strings.NewReader(large),
					int64(len(large))); err != nil || len(f.objects["/bucket/large"]) != len(large) {
					t.Errorf("written in parts: %v", err)
				}
			}
			if err := own(t).PutNew(context.Background(), "s3://bucket/new", []byte("new")); err != nil {
				t.Errorf("made: %v", err)
			}
			if all, err := storage.List(context.Background(), "s3://bucket"); len(all) != files || err != nil {
				t.Errorf("listed: %v, %v", all, err)
			}
			if err := own(t).CheckWritable(context.Background(), "s3://bucket/c"); err != nil {
				t.Errorf("checked: %v", err)
			}
			loans, err := storage.Lend(context.Background(), []string{"s3://bucket/a"}, time.Hour)
			if err != nil {
				t.Fatalf("lent: %v", err)
			}
			if r, err := storage.Borrow(context.Background(), loans[0]); err != nil {
				t.Errorf("borrowed: %v", err)
			} else if b, err := io.ReadAll(r); string(b) != text || err != nil {
				t.Errorf("borrowed: %d bytes, %v", len(b), err)
			}
			if err := storage.Remove(context.Background(), "s3://bucket/b"); err != nil || f.objects["/bucket/b"] != nil {
				t.Errorf("removed: %v", err)
			}
		})
	}
}

// TestThrottledForGood: after about a minute of random waits, the operation fails; it fails sooner if the server has
// never responded.
func TestThrottledForGood(t *testing.T) {
	f := startFake(t)
	f.fails = func(_ int, w http.ResponseWriter, _ *http.Request) bool { troubles["503"](w); return true }
	if _, err := storage.ReadFile(context.Background(), "s3://bucket/a"); err == nil ||
		!strings.Contains(err.Error(), "SlowDown") {
		t.Errorf("got %v", err)
	}
	total := time.Duration(0)
	for _, d := range f.waits {
		total += d
	}
	if total < patience || total > patience+longestWait || slices.Max(f.waits) > longestWait || len(f.waits) != f.n-1 ||
		len(slices.Compact(slices.Sorted(slices.Values(f.waits)))) < len(f.waits)/2 {
		t.Errorf("%d requests, waits of %v: %v", f.n, total, f.waits)
	}

	never := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer never.Close()
	f.waits = nil
	f.ask(t, never.URL)
	if _, err := storage.ReadFile(context.Background(), "s3://bucket/a"); err == nil || len(f.waits) != retries-1 {
		t.Errorf("a server that never answers: %v, after %d waits", err, len(f.waits))
	}
}

// TestNotTriedAgain: permanent errors are returned at once.
func TestNotTriedAgain(t *testing.T) {
	f := startFake(t)
	if _, err := storage.ReadFile(context.Background(), "s3://bucket/none"); !errors.Is(err, fs.ErrNotExist) ||
		len(f.waits) != 0 {
		t.Errorf("%v, after %d waits", err, len(f.waits))
	}
	f.objects["/bucket/new"] = []byte("others'")
	if err := own(t).PutNew(context.Background(), "s3://bucket/new", []byte("new")); !errors.Is(err, fs.ErrExist) ||
		len(f.waits) != 0 {
		t.Errorf("%v, after %d waits", err, len(f.waits))
	}
}

// TestBusyServerOfAnEmptyObject: S3 has no range of an empty object, so its size is requested, repeatedly if the
// server is busy.
func TestBusyServerOfAnEmptyObject(t *testing.T) {
	f := startFake(t)
	f.objects["/bucket/empty"] = []byte{}
	f.fails = func(_ int, w http.ResponseWriter, r *http.Request) bool {
		switch {
		case r.Method == http.MethodGet && r.Header.Get("Range") != "":
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			fmt.Fprint(w, "<Error><Code>InvalidRange</Code></Error>")
		case r.Method == http.MethodHead && len(f.waits) == 0:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			return false
		}
		return true
	}
	if b, err := storage.ReadFile(context.Background(), "s3://bucket/empty"); err != nil || len(b) != 0 ||
		len(f.waits) != 1 {
		t.Errorf("%q, %v, after %d waits", b, err, len(f.waits))
	}
}

// TestLostAnswers: if an operation succeeded but its response was lost, repeating it is no failure.
func TestLostAnswers(t *testing.T) {
	f := startFake(t)
	f.lose = "PUT "
	if err := own(t).PutNew(context.Background(), "s3://bucket/new", []byte("new")); err != nil || f.lose != "" {
		t.Errorf("made: %v", err)
	}
	large := strings.Repeat("0123456789abcdef", partSize/16+1)
	f.lose = "POST uploadId"
	if err := own(t).Put(context.Background(), "s3://bucket/large", strings.NewReader(large),
		int64(len(large))); err != nil || f.lose != "" || f.begun != 1 {
		t.Errorf("written in parts: %v, %d uploads", err, f.begun)
	}
	f.lose = "POST uploadId" // and another run's object exists by then
	f.fails = func(_ int, _ http.ResponseWriter, r *http.Request) bool {
		if f.lose == "" && r.Method == http.MethodHead {
			f.objects[r.URL.Path] = []byte(large)
		}
		return false
	}
	if err := own(t).Put(context.Background(), "s3://bucket/large", strings.NewReader(large),
		int64(len(large))); err == nil {
		t.Error("another object is taken for the one that was written")
	}
}
