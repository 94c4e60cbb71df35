package stored

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/random"
)

// TestPermutationInFiles: pieces of a permutation come in the order of random.Permutation, for blocks of any size, also
// where records go to a file. No file remains.
func TestPermutationInFiles(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, 2, 3, 17, 64, 1000, 70_001} {
		for _, shift := range []int{1, 4, 7, 13, 20} {
			if n>>shift > 1<<12 {
				continue
			}
			seed := uint64(n + shift)
			all := random.Permutation(seed, n)
			pieces := []Piece{{n / 2, n}, {0, 0}, {0, n / 3}} // the rest is left out
			o := Permutation{Seed: &seed, Rows: n, Pieces: pieces, shift: shift}
			var want []int
			for _, p := range pieces {
				want = append(want, all[p.From:p.To]...)
			}
			check(t, o, dir, want)
			o.Seed = nil
			for k := range want {
				if want[k] = k + n/2; k >= n-n/2 {
					want[k] = k - (n - n/2)
				}
			}
			check(t, o, dir, want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

func check(t *testing.T, o Permutation, dir string, want []int) {
	t.Helper()
	if o.Len() != len(want) {
		t.Errorf("%d rows have the length %d, want %d", o.Rows, o.Len(), len(want))
	}
	seen := 0
	if err := o.Each(t.Context(), dir, func(place, number int) error {
		if seen++; number != want[place] {
			t.Fatalf("%d rows in blocks of %d: row %d is at place %d, want %d", o.Rows, 1<<o.shift, number, place, want[place])
		}
		return nil
	}); err != nil || seen != len(want) {
		t.Errorf("%d rows in blocks of %d: %d places of %d (%v)", o.Rows, 1<<o.shift, seen, len(want), err)
	}
}

// TestSpill: records of a bucket come back in their order, from memory and from files, and places of chunks are used
// again.
func TestSpill(t *testing.T) {
	s := newSpill(t.TempDir(), "test records", 3)
	s.memory = 2 * chunkBytes
	defer s.close()
	const each = chunkBytes/recordBytes*3 + 5
	for round := range 3 {
		for i := range 3 * each {
			if err := s.add(i%3, pack(round, i)); err != nil {
				t.Fatal(err)
			}
		}
		for bucket := range 3 {
			next := bucket
			if err := s.take(bucket, func(records []byte) error {
				for ; len(records) > 0; records = records[recordBytes:] {
					if high, low := unpack(records); high != round || low != next {
						t.Fatalf("record %d of round %d, want %d of %d", low, high, next, round)
					}
					next += 3
				}
				return nil
			}); err != nil || next != 3*each+bucket {
				t.Errorf("bucket %d ended at %d (%v)", bucket, next, err)
			}
		}
	}
	if s.memory != 2*chunkBytes || s.end != 7*chunkBytes {
		t.Errorf("%d bytes of memory are free, and the file has %d", s.memory, s.end)
	}
}

// TestOrdersThatFail: a cancelled order, one without a directory, one of rows that are not there, and one with a row
// twice are errors.
func TestOrdersThatFail(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	seed := uint64(1)
	none := func(int, int) error { return nil }
	if err := (Permutation{Seed: &seed, Rows: 10}).Each(ctx, "", none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	many := Permutation{Seed: &seed, Rows: 1 << 17, shift: 13}
	s := newSpill("/nowhere", "test records", 1)
	s.memory = 0
	var err error
	for i := 0; err == nil && i < chunkBytes; i++ {
		err = s.add(0, 0)
	}
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
	if many.Rows = MaxRows + 1; many.Each(t.Context(), "", none) == nil {
		t.Error("an order of too many rows")
	}
	r := numbered(t, t.TempDir(), 4, 8)
	for _, o := range []Numbers{{0, 4}, {-1}, {1, 1}} {
		if s, err := r.Shuffle(t.Context(), o); err == nil {
			s.Close()
			t.Errorf("order %v was accepted", o)
		}
	}
}

// TestEndsInFiles: rows of several lengths come back where their ends went to a file while they were written.
func TestEndsInFiles(t *testing.T) {
	dir := t.TempDir()
	const n = 3 * chunkBytes / recordBytes
	for _, memory := range []int64{0, n, 1 << 20} { // n: rows and ends move to disk
		w, err := NewWriter(Options{Dir: dir, Memory: memory})
		if err != nil {
			t.Fatal(err)
		}
		row := []byte("abcdefg")
		for i := range n {
			if err := w.Add(row[:i%7]); err != nil {
				t.Fatal(err)
			}
			if w.ends != nil && w.onDisk {
				w.ends.memory = 0
			}
		}
		r, err := w.Finish()
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if got, err := r.At(i); err != nil || string(got) != string(row[:i%7]) {
				t.Fatalf("row %d is %q (%v)", i, got, err)
			}
		}
		if r.InMemory() != (memory == 1<<20) {
			t.Errorf("%d bytes of memory: rows are in memory: %v", memory, r.InMemory())
		}
		r.Close()
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files stay: %v (%v)", left, err)
	}
}

// TestListing checks that a listing has the rows that Each yields.
func TestListing(t *testing.T) {
	seed := uint64(5)
	for _, by := range []*uint64{nil, &seed} {
		o := Permutation{Seed: by, Rows: 100, Pieces: []Piece{{90, 100}, {3, 3}, {0, 7}, {20, 60}}}
		want := make([]int64, o.Len())
		if err := o.Each(t.Context(), t.TempDir(), func(place, number int) error {
			want[place] = int64(number)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		list := o.Listing()
		for _, r := range [][2]int{{0, 57}, {0, 1}, {5, 12}, {10, 17}, {9, 18}, {56, 57}, {30, 30}} {
			if got := slices.Collect(list(r[0], r[1])); !slices.Equal(got, want[r[0]:r[1]]) {
				t.Errorf("places %v: rows %v, want %v", r, got, want[r[0]:r[1]])
			}
		}
	}
}
