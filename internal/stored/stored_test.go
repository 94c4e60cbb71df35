package stored

import (
	"bytes"
	"errors"
	"iter"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

func example(i int) *data.MultiDataSet {
	x := tensor.MustOf([]float32{float32(i), -float32(i)}, 1, 2)
	return &data.MultiDataSet{Features: []*tensor.Dense{x}}
}

// TestRows: rows of one length and of several lengths, in memory, on disk, and moved there, are read back unchanged,
// also through references; and no file remains.
func TestRows(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		memory int64
		uneven bool
		moved  bool
	}{
		"memory": {1 << 40, false, false}, "disk": {0, false, true}, "moved": {2000, false, true},
		"uneven in memory": {1 << 40, true, false}, "uneven on disk": {0, true, true}, "uneven, moved": {5000, true, true},
	} {
		moved := 0
		w, err := NewWriter(Options{Memory: c.memory, Dir: dir, Moved: func(to string) {
			if moved++; to != dir {
				t.Errorf("%s: moved to %s", name, to)
			}
		}})
		if err != nil {
			t.Fatal(err)
		}
		var want [][]byte
		for i := range 400 {
			m := example(i)
			if c.uneven && i > 7 {
				m.Meta = []string{strings.Repeat("k", i%5)}
			}
			row := data.AppendRow(nil, m)
			want = append(want, row)
			if err := w.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		r, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		if r.Len() != len(want) || (moved > 0) != c.moved && r.InMemory() {
			t.Errorf("%s: %d rows, moved %d times", name, r.Len(), moved)
		}
		for i, row := range want {
			if got, err := r.At(i); err != nil || !bytes.Equal(got, row) {
				t.Fatalf("%s: row %d differs (%v)", name, i, err)
			}
		}
		referred(t, name, r, want)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

func referred(t *testing.T, name string, r *Rows, want [][]byte) {
	t.Helper()
	for _, numbers := range [][]int64{nil, {399, 0, 7, 8, 7}} {
		listed, to := iter.Seq[int64](nil), 103
		if numbers != nil {
			listed, to = slices.Values(numbers), 100+len(numbers)
		}
		b, err := r.Reference(nil, listed, 100, to)
		if err != nil {
			t.Fatal(err)
		}
		of, err := Open(b)
		if err != nil {
			t.Fatal(err)
		}
		if numbers == nil {
			numbers = []int64{100, 101, 102}
		}
		if of.Len() != len(numbers) {
			t.Errorf("%s: %d rows for %v", name, of.Len(), numbers)
		}
		for i, k := range numbers {
			of.Soon(i)
			if got, err := of.At(i); err != nil || !bytes.Equal(got, want[k]) {
				t.Fatalf("%s: row %d differs (%v)", name, k, err)
			}
			if got, err := of.AppendTo([]byte("before"), i); err != nil || string(got) != "before"+string(want[k]) {
				t.Fatalf("%s: row %d differs after other bytes (%v)", name, k, err)
			}
		}
		if runtime.GOOS == "linux" && (of.rows.mapped != nil) != r.InMemory() {
			t.Errorf("%s: in memory: %v, mapped: %v", name, r.InMemory(), of.rows.mapped != nil)
		}
		if err := of.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNormalized: a reference's normalizer is applied to the rows.
func TestNormalized(t *testing.T) {
	w, err := NewWriter(Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Add(data.AppendRow(nil, example(51))); err != nil {
		t.Fatal(err)
	}
	r, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b bytes.Buffer
	if err := data.WriteNormalizer(&b, data.NewImageScaler()); err != nil {
		t.Fatal(err)
	}
	ref, err := r.Reference(b.Bytes(), nil, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	of, err := Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	defer of.Close()
	row, err := of.At(0)
	if err != nil {
		t.Fatal(err)
	}
	if m, err := data.DecodeRow(row); err != nil || m.Features[0].Data[0] != 51/255.0 {
		t.Errorf("%v (%v)", m.Features[0].Data, err)
	}
}

// TestBadReferences: bytes that are no reference, and missing files, are errors.
func TestBadReferences(t *testing.T) {
	for _, b := range [][]byte{nil, {'R'}, {'F'}, {'F', 9, 0, 0, 0}, {'F', 2, 0, 0, 0, '{', '}'}} {
		if _, err := Open(b); err == nil {
			t.Errorf("%q is opened", b)
		}
	}
}

// TestDiskFull: the error names the directory and the need.
func TestDiskFull(t *testing.T) {
	w := &Writer{options: Options{Dir: "/somewhere"}, rows: &Rows{}, onDisk: true, at: 2e9}
	err := w.explain(syscall.ENOSPC)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/somewhere: ") ||
		!strings.Contains(err.Error(), "2.00 GB") {
		t.Error(err)
	}
	if _, err := NewWriter(Options{Dir: "/nowhere/at/all"}); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Error(err)
	}
}

// TestCloseWhileRead: Close waits for those who read memory of the file, which it removes. Later reads fail.
func TestCloseWhileRead(t *testing.T) {
	for name, memory := range map[string]int64{"in memory": 1 << 20, "on disk": 0} {
		w, err := NewWriter(Options{Memory: memory, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		row := data.AppendRow(nil, example(7))
		if err := w.Add(row); err != nil {
			t.Fatal(err)
		}
		r, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		owned, err := r.At(0)
		if err != nil {
			t.Fatal(err)
		}
		closed := make(chan error)
		first := func(int) int { return 0 }
		err = r.View(1, first, func(rows [][]byte) error {
			if r.using.TryLock() {
				t.Errorf("%s: Close need not wait", name)
				r.using.Unlock()
			}
			go func() { closed <- r.Close() }()
			if !bytes.Equal(rows[0], row) {
				t.Errorf("%s: the row differs", name)
			}
			return nil
		})
		if err := errors.Join(err, <-closed); err != nil {
			t.Error(err)
		}
		if !bytes.Equal(owned, row) {
			t.Errorf("%s: a row of At ended with the file", name)
		}
		if _, err := r.At(0); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: At after Close: %v", name, err)
		}
		if err := r.View(1, first, nil); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: View after Close: %v", name, err)
		}
		r.Soon(0)
	}
}
