package worker

import (
	"io"
	"os"
	"testing"
	"time"
)

// TestDrain checks that drain waits for the reader of a pipe, and not for that of a file.
func TestDrain(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if _, err := w.WriteString("cause"); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		drain(w, time.Hour)
		close(drained)
	}()
	select {
	case <-drained:
		t.Fatal("it did not wait")
	default:
	}
	if _, err := io.ReadFull(r, make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	<-drained
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	f.WriteString("cause")
	drain(f, time.Hour)
}
