package stored

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"testing"
)

// numbered returns n rows on disk of a length. A row begins with its number.
func numbered(t *testing.T, dir string, n, length int) *Rows {
	t.Helper()
	w, err := NewWriter(Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	row := make([]byte, length)
	for i := range n {
		binary.LittleEndian.PutUint32(row, uint32(i))
		row[length-1] ^= byte(i)
		if err := w.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

// TestShuffle: for buckets of any size, all rows or some of them come in the given order, read one after the other, at
// random, or by a reference. No file remains.
func TestShuffle(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ n, length, bucket int }{{0, 5, 100}, {1, 5, 100}, {1000, 5, 1}, {1000, 7, 64},
		{1000, 123, 5000}, {1000, 16 << 10, 1 << 20}, {70_000, 5, 1}, {3, 5, 1 << 20}} {
		r := numbered(t, dir, max(1, c.n), c.length)
		random := rand.New(rand.NewPCG(1, 2))
		all := random.Perm(c.n)
		for _, order := range [][]int{all, all[c.n/3 : c.n/2]} {
			numbers := make([]int64, len(order))
			want := make([][]byte, len(order))
			for k, i := range order {
				row, err := r.At(i)
				if err != nil {
					t.Fatal(err)
				}
				numbers[k], want[k] = int64(i), row
			}
			s, err := r.shuffle(t.Context(), Numbers(numbers), c.bucket, 3+c.n%7)
			if err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
			if s.Len() != len(want) {
				t.Errorf("%+v: %d rows of %d", c, s.Len(), len(want))
			}
			for k := range want {
				if got, err := s.At(k); err != nil || !bytes.Equal(got, want[k]) {
					t.Fatalf("%+v: row %d differs (%v)", c, k, err)
				}
			}
			for _, k := range random.Perm(len(want))[:min(50, len(want))] {
				if got, err := s.At(k); err != nil || !bytes.Equal(got, want[k]) {
					t.Fatalf("%+v: row %d, read at random, differs (%v)", c, k, err)
				}
			}
			if len(want) >= 400 {
				referred(t, "shuffled", s, want)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

// TestNoShuffle: a cancelled shuffle, one of closed rows, and one without a directory are errors. Rows in memory, long
// rows and rows of several lengths are not shuffled.
func TestNoShuffle(t *testing.T) {
	r := numbered(t, t.TempDir(), 10, 8)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Shuffle(ctx, Numbers{1, 0}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	r.dir = "/nowhere/at/all"
	if _, err := r.Shuffle(t.Context(), Numbers{1, 0}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
	if !r.Shuffles(10) || numbered(t, t.TempDir(), 2, longestRow+1).Shuffles(2) {
		t.Error("long rows are shuffled, or short ones are not")
	}
	for _, l := range []*Rows{{memory: true, layout: layout{Stride: 8}}, {layout: layout{Ends: 8}}} {
		if l.Shuffles(1) {
			t.Errorf("%+v is shuffled", l.layout)
		}
	}
	r.Close()
	if _, err := r.Shuffle(t.Context(), Numbers{1, 0}); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
