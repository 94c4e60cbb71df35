package storage_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// changes lists changes to a file of 10 bytes, and the texts of their errors.
var changes = map[string]struct {
	do   func(path string) error
	says string // empty: no error
}{
	"nothing": {func(string) error { return nil }, ""},
	"read": {func(path string) error {
		st, err := os.Stat(path)
		if err == nil {
			err = os.Chtimes(path, time.Unix(1e9, 0), st.ModTime())
		}
		return err
	}, ""},
	"shrunk": {func(path string) error { return os.Truncate(path, 4) }, "it had 10 bytes, and has 4"},
	"grown": {func(path string) error {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString("!")
			f.Close()
		}
		return err
	}, "it had 10 bytes, and has 11"},
	"written": {func(path string) error { return os.Chtimes(path, time.Time{}, time.Unix(1e9, 5)) },
		"again at 2001-09-09T01:46:40.000000005Z"},
}

func watched(t *testing.T, says string, err error) {
	t.Helper()
	changed := (*storage.ChangedError)(nil)
	switch {
	case says == "" && err != nil:
		t.Error(err)
	case says != "" && (!errors.As(err, &changed) || !strings.Contains(err.Error(), says)):
		t.Errorf("%v, wanted %q", err, says)
	}
}

// TestChangesBetweenPasses: a file that is opened again must not have changed since the first time. Another Watch
// accepts it.
func TestChangesBetweenPasses(t *testing.T) {
	for name, c := range changes {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte("0123456789"), 0o666); err != nil {
			t.Fatal(err)
		}
		ctx := storage.Watched(t.Context())
		if _, err := storage.ReadWatched(ctx, path); err != nil {
			t.Fatal(err)
		}
		if err := c.do(path); err != nil {
			t.Fatal(err)
		}
		_, err := storage.ReadWatched(ctx, "file://"+path)
		watched(t, "", err) // other names may be other files
		_, err = storage.ReadWatched(storage.Watched(ctx), path)
		watched(t, c.says, err)
		if _, err := storage.ReadWatched(t.Context(), path); err != nil {
			t.Errorf("%s, without a Watch: %v", name, err)
		}
		watched(t, "", storage.Unchanged(ctx)) // the file was read before it changed
	}
}

// TestChangesWithinAPass: if a file changes while it is read, reading fails at its end, and so do Unchanged and Close.
func TestChangesWithinAPass(t *testing.T) {
	for name, c := range changes {
		for how, read := range map[string]func(storage.File) error{
			"Read": func(f storage.File) error { _, err := io.ReadAll(f); return err },
			"ReadAt": func(f storage.File) error {
				if _, err := f.ReadAt(make([]byte, 2), 20); err != io.EOF {
					return err
				}
				return nil
			},
		} {
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte("0123456789"), 0o666); err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if how == "Read" {
				ctx = storage.Watched(ctx)
			}
			f, err := storage.OpenWatched(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(f, make([]byte, 3)); err != nil {
				t.Fatal(err)
			}
			if err := c.do(path); err != nil {
				t.Fatal(err)
			}
			watched(t, c.says, read(f))
			if how == "Read" {
				watched(t, c.says, storage.Unchanged(ctx))
			}
			watched(t, c.says, f.Close())
			if how == "Read" {
				watched(t, c.says, storage.Unchanged(ctx))
			}
		}
	}
}

// TestStamps: a server's version of a file counts before its time. An engine's stamps are separate from those of files
// that this process opens.
func TestStamps(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	first := storage.Stamp{Size: 3, Modified: at(1), Version: "a"}
	for _, c := range []struct {
		was, is storage.Stamp
		says    string
	}{
		{first, first, ""},
		{first, storage.Stamp{Size: 3, Modified: at(2), Version: "a"}, ""},
		{first, storage.Stamp{Size: 3, Modified: at(1), Version: "b"}, "its ETag was a, and is b"},
		{first, storage.Stamp{Size: 4, Modified: at(1), Version: "a"}, "it had 3 bytes, and has 4"},
		{first, storage.Stamp{Size: 3, Modified: at(2)}, "written at"},
		{first, storage.Stamp{Size: 3}, ""},
		{storage.Stamp{Modified: at(1)}, storage.Stamp{Modified: at(2)}, ""},
	} {
		ctx := storage.Watched(t.Context())
		watched(t, "", storage.Seen(ctx, "f", c.was))
		watched(t, c.says, storage.Seen(ctx, "f", c.is))
		watched(t, "", storage.Seen(t.Context(), "f", c.is))
	}
	var none *storage.Watch
	if ctx := none.In(context.Background()); ctx != context.Background() {
		t.Error("a context without a Watch is another one")
	}
}
