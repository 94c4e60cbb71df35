package s3

import (
	"context"
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
