package storagetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/internal/await"
	"github.com/dl4go/dl4go/storage"
)

// Cancelled checks that each request for dir ends with its context, and leaves nothing behind. The server must never
// respond; asked receives a value for each request that the server gets.
func Cancelled(t *testing.T, dir string, asked <-chan struct{}) {
	for name, request := range requests(dir) {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			why := errors.New("the user has had enough")
			done := make(chan error, 1)
			Leaves(t, func() {
				go func() { done <- request(ctx) }()
				await.From(t, "the server to be asked", asked)
				cancel(why)
				if err := await.From(t, "the request to end", done); err == nil || !errors.Is(err, context.Canceled) &&
					!errors.Is(err, why) {
					t.Errorf("it ended with %v", err)
				}
			})
			for len(asked) > 0 {
				<-asked
			}
		})
	}
}

// requests are the requests that a program may make for files of a directory.
func requests(dir string) map[string]func(context.Context) error {
	url := storage.Join(dir, "file")
	large := bytes.Repeat([]byte("0123456789abcdef"), 2<<20)
	return map[string]func(context.Context) error{
		"Open":   func(ctx context.Context) error { _, err := storage.Open(ctx, url); return err },
		"Exists": func(ctx context.Context) error { _, err := storage.Exists(ctx, url); return err },
		"WriteFile": func(ctx context.Context) error {
			return storage.WriteFile(ctx, url, func(w io.Writer) error { _, err := w.Write([]byte("text")); return err })
		},
		"WriteFile large": func(ctx context.Context) error {
			return storage.WriteFile(ctx, url, func(w io.Writer) error { _, err := w.Write(large); return err })
		},
		"WriteNew":      func(ctx context.Context) error { return storage.WriteNew(ctx, url, []byte("text")) },
		"CheckWritable": func(ctx context.Context) error { return storage.CheckWritable(ctx, url) },
		"List":          func(ctx context.Context) error { _, err := storage.List(ctx, dir); return err },
		"Directories":   func(ctx context.Context) error { _, err := storage.Directories(ctx, dir); return err },
		"Remove":        func(ctx context.Context) error { return storage.Remove(ctx, url) },
		"RemoveAll":     func(ctx context.Context) error { return storage.RemoveAll(ctx, dir) },
		"Sweep":         func(ctx context.Context) error { return storage.Sweep(ctx, dir, "f") },
	}
}

// Leaves waits until all goroutines that do has started have ended.
func Leaves(t *testing.T, do func()) {
	t.Helper()
	label := strings.ReplaceAll(t.Name(), " ", "_") + time.Now().Format(".150405.000000")
	pprof.Do(t.Context(), pprof.Labels("storagetest", label), func(context.Context) { do() })
	await.Until(t, "the goroutines to end", func() (any, bool) {
		var b strings.Builder
		pprof.Lookup("goroutine").WriteTo(&b, 1)
		stacks := strings.Split(b.String(), "\n\n")
		at := slices.IndexFunc(stacks, func(s string) bool { return strings.Contains(s, label) })
		if at < 0 {
			return nil, true
		}
		return stacks[at], false
	})
}
