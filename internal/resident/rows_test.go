package resident

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/dl4go/dl4go/engine"
)

// TestRowsGoToDisk checks that rows beyond the memory limit go to a file without a name and come back unchanged.
func TestRowsGoToDisk(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	const size = 1 << 20
	var rows []engine.Row
	for i := range 40 {
		rows = append(rows, engine.Unindexed(bytes.Repeat([]byte{byte(i)}, size+i)))
	}
	rows = append(rows, engine.Unindexed(nil))
	for _, c := range []struct {
		room   int64 // bytes
		memory int
	}{{1 << 40, 41}, {20 << 20, 32}, {0, 16}} {
		r, err := keep(engine.SliceRows(rows), func(kept int64) bool { return kept < c.room })
		if err != nil {
			t.Fatal(err)
		}
		if len(r.memory) != c.memory || r.Len() != len(rows) {
			t.Errorf("room for %d bytes: %d rows in memory, of %d", c.room, len(r.memory), r.Len())
		}
		for i := len(rows) - 1; i >= 0; i-- {
			if b, err := r.At(i); err != nil || !bytes.Equal(b, rows[i].Bytes) {
				t.Fatalf("row %d differs (%v)", i, err)
			}
		}
		for i := 30; i < 35; i++ {
			r.Soon(i)
			if b, err := r.AppendTo([]byte("before"), i); err != nil ||
				!bytes.Equal(b, append([]byte("before"), rows[i].Bytes...)) {
				t.Fatalf("row %d, appended, differs (%v)", i, err)
			}
		}
		if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
			t.Errorf("files have names: %v (%v)", left, err)
		}
		r.Close()
	}
}

// TestRowsThatCannotBeKept checks that errors of the source and the disk are returned.
func TestRowsThatCannotBeKept(t *testing.T) {
	broken := errors.New("the source is broken")
	n := 0
	in := engine.RowsFunc(func() (engine.Row, error) {
		if n++; n > 3 {
			return engine.Row{}, broken
		}
		return engine.Unindexed([]byte{1}), nil
	})
	if _, err := Keep(in); !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	t.Setenv("TMPDIR", "/nowhere")
	n = 0
	in = engine.RowsFunc(func() (engine.Row, error) {
		if n++; n > 3 {
			return engine.Row{}, io.EOF
		}
		return engine.Unindexed(make([]byte, lookEvery)), nil
	})
	if _, err := keep(in, func(int64) bool { return false }); err == nil ||
		!bytes.Contains([]byte(fmt.Sprint(err)), []byte("TMPDIR")) {
		t.Errorf("error %v", err)
	}
}
