package stored

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// shuffled returns n rows of a length in buckets of some rows, and their order.
func shuffled(t *testing.T, n, length, bucket int) (*Rows, []int) {
	t.Helper()
	r := numbered(t, t.TempDir(), n, length)
	order := rand.New(rand.NewPCG(5, 6)).Perm(n)
	numbers := make(Numbers, n)
	for place, number := range order {
		numbers[place] = int64(number)
	}
	s, err := r.shuffle(t.Context(), numbers, bucket*length, 10)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s, order
}

func number(row []byte) int { return int(binary.LittleEndian.Uint32(row)) }

// TestShuffledAgain: shuffled rows, shuffled again, are in the order of both orders.
func TestShuffledAgain(t *testing.T) {
	s, order := shuffled(t, 1000, 9, 64)
	again, err := s.shuffle(t.Context(), Numbers{999, 0, 500, 63, 64}, 18, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	for k, place := range []int{999, 0, 500, 63, 64} {
		if row, err := again.At(k); err != nil || number(row) != order[place] {
			t.Errorf("row %d is %v (%v), want %d", k, row, err, order[place])
		}
	}
}

// TestSharedBuckets: readers that read different buckets of the same file at the same time get their rows, and the rows
// stay as they are.
func TestSharedBuckets(t *testing.T) {
	s, order := shuffled(t, 600, 9, 100)
	var wait sync.WaitGroup
	for first := range 6 {
		wait.Go(func() {
			var rows [][]byte
			for k := range order {
				row, err := s.At((k + 100*first) % len(order))
				if err != nil {
					t.Error(err)
					return
				}
				rows = append(rows, row)
			}
			for k, row := range rows {
				if want := order[(k+100*first)%len(order)]; number(row) != want {
					t.Errorf("row %d is %d, want %d", k, number(row), want)
				}
			}
		})
	}
	wait.Wait()
}

// TestBucketPages: buckets are whole pages apart.
func TestBucketPages(t *testing.T) {
	s, _ := shuffled(t, 5000, 99, 1000)
	at := s.layout.bucketAt(1)
	if at%pageBytes != 0 || at < 1000*(99+placeBytes) {
		t.Errorf("the second bucket begins at %d", at)
	}
}

// TestDamagedBuckets: a place beyond its bucket, a row beyond the last one, a file that is too short, and a reference
// to impossible buckets are errors.
func TestDamagedBuckets(t *testing.T) {
	s, _ := shuffled(t, 1000, 9, 64)
	for _, i := range []int{-1, 1000, 1 << 40} {
		if _, err := s.At(i); err == nil {
			t.Errorf("there is a row %d", i)
		}
	}
	if _, err := s.file.WriteAt(bytes.Repeat([]byte{255}, 4), s.layout.bucketAt(2)); err != nil {
		t.Fatal(err)
	}
	_, err := s.At(128)
	if err == nil || !strings.Contains(err.Error(), "row 128 of the stored examples: a row is at place") {
		t.Errorf("a damaged place: %v", err)
	}
	if _, err := s.At(127); err != nil {
		t.Errorf("the bucket before it: %v", err)
	}
	if err := s.file.Truncate(s.layout.bucketAt(3)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.At(999); err == nil {
		t.Error("a file that is too short is read")
	}
	for _, l := range []layout{{Rows: 10, Stride: 4, Bucket: -1}, {Rows: 10, Bucket: 3},
		{Rows: 10, Stride: longestRow, Bucket: bucketBytes}} {
		if l.check() == nil {
			t.Errorf("%+v is accepted", l)
		}
	}
}
