package worker

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"
)

// TestHand checks that hand waits until the reader of a pipe comes back for more, again and again. For a file, it
// neither waits nor writes.
func TestHand(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	const cause = "cause\n"
	if _, err := w.WriteString(cause); err != nil {
		t.Fatal(err)
	}
	handed := make(chan struct{})
	go func() {
		hand(w, time.Hour)
		close(handed)
	}()
	for _, next := range []string{cause, "\n", "\n", "\n"} {
		select {
		case <-handed:
			t.Fatalf("it did not wait for the read of %q", next)
		default:
		}
		piece := make([]byte, len(next))
		if _, err := io.ReadFull(r, piece); err != nil || string(piece) != next {
			t.Fatalf("%q, %v; wanted %q", piece, err, next)
		}
	}
	<-handed
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString(cause)
	hand(f, time.Hour)
	if b, err := os.ReadFile(f.Name()); err != nil || !bytes.Equal(b, []byte(cause)) {
		t.Errorf("the file has %q, %v", b, err)
	}
}
