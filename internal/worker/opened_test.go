package worker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/storage"
)

// TestOpenFile opens files by each kind of reference. A file that is not the one of the reference ends the task, even
// if the operation swallows the error. Only an engine with another way to read files tries that one.
func TestOpenFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte("contents"), 0o666); err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
	seen, err := Refer(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	listed := func(at time.Time) []byte {
		f, err := engine.FileOf(refer(path, "file:"+path, 8, at))
		if err != nil {
			t.Fatal(err)
		}
		return f.Content
	}
	open := func(content []byte, harm func()) (text string, ended error) {
		r := &run{ctx: t.Context()}
		f, err := opener{run: r}.OpenFile(t.Context(), engine.File{Path: path, Content: content})
		if err != nil {
			return "", r.first()
		}
		b := make([]byte, 3)
		n, _ := f.ReadAt(b, 2)
		harm()
		f.Close()
		return string(b[:n]), r.first()
	}
	for name, content := range map[string][]byte{"seen by the driver": seen, "listed": listed(at),
		"brought": []byte(pipeMark + "contents")} {
		if text, err := open(content, func() {}); text != "nte" || err != nil {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if text, err := open(nil, func() {}); text != "" || err != nil {
		t.Errorf("an empty file: %q, %v", text, err)
	}
	var unread *UnreadError
	if _, err := open(listed(at.Add(time.Hour)), func() {}); !errors.As(err, &unread) {
		t.Errorf("a file that was listed with another time: %v", err)
	}
	later := func() {
		if err := os.Chtimes(path, at, at.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	_, err = open(seen, later)
	for range 2 { // while it is open, and before
		if changed := (*storage.ChangedError)(nil); !errors.As(err, &changed) || !engine.IsPermanent(err) ||
			!strings.Contains(err.Error(), "changed while it was in use") {
			t.Errorf("a changed file: %v", err)
		}
		_, err = open(seen, func() {})
	}
}
