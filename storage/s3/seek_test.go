package s3

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dl4go/dl4go/storage"
)

// TestSeekBorrowed: a lent object can be read from any of its places on.
func TestSeekBorrowed(t *testing.T) {
	f := startFake(t)
	text := strings.Repeat("0123456789", 100)
	f.objects["/bucket/a"] = []byte(text)
	loans, err := storage.Lend(context.Background(), []string{"s3://bucket/a"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []int64{0, 1, 537, 999, 1000} {
		r, err := storage.Borrow(context.Background(), loans[0])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.(io.Seeker).Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(r); string(b) != text[at:] || err != nil {
			t.Errorf("from %d on: %d bytes, %v", at, len(b), err)
		}
		if _, err := r.(io.Seeker).Seek(1001, io.SeekStart); err == nil {
			t.Error("there is a place behind the end")
		}
		r.Close()
	}
}

// TestBorrowParts: any parts of a lent object can be read, and each request asks for no more than is wanted.
func TestBorrowParts(t *testing.T) {
	f := startFake(t)
	text := strings.Repeat("0123456789", 100)
	f.objects["/bucket/a"] = []byte(text)
	loans, err := storage.Lend(context.Background(), []string{"s3://bucket/a"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	r, err := storage.BorrowFile(context.Background(), loans[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ at, n, want int }{{0, 3, 3}, {537, 100, 100}, {990, 20, 10}, {0, 1000, 1000},
		{1000, 1, 0}} {
		b := make([]byte, c.n)
		n, err := r.ReadAt(b, int64(c.at))
		if n != c.want || string(b[:n]) != text[c.at:c.at+n] || (err == io.EOF) != (c.want < c.n) {
			t.Errorf("%d bytes at %d: %q, %v", c.n, c.at, b[:n], err)
		}
	}
	if all, err := io.ReadAll(r); string(all) != text || err != nil || r.Size() != 1000 {
		t.Errorf("%d of %d bytes, %v", len(all), r.Size(), err)
	}
	f.objects["/bucket/a"] = []byte(strings.ToUpper(text) + "x")
	if _, err := r.ReadAt(make([]byte, 3), 5); !errors.Is(err, storage.ErrLapsed) {
		t.Errorf("a changed object gives the error %v", err)
	}
}
