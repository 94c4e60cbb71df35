package stored

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/need"
)

// traffic returns the numbers of bytes that the process has read and written by system calls, and the number of calls.
func traffic(t *testing.T) (read, written, calls int64) {
	t.Helper()
	b, err := os.ReadFile("/proc/self/io")
	need.From(t, err, "run the tests where /proc/self/io can be read")
	var w int64
	_, err = fmt.Fscanf(bytes.NewReader(b), "rchar: %d\nwchar: %d\nsyscr: %d\nsyscw: %d\n", &read, &written, &calls, &w)
	if err != nil {
		t.Fatal(err)
	}
	return read, written, calls + w
}

// TestTrafficOfAnEpoch: shuffling rows of any number and reading them in order reads twice their size and writes it
// once, in calls of some kB.
func TestTrafficOfAnEpoch(t *testing.T) {
	const length = 100
	for _, n := range []int{100_000, 400_000} {
		r := numbered(t, t.TempDir(), n, length)
		order := make([]int64, n)
		for k, i := range rand.New(rand.NewPCG(3, 4)).Perm(n) {
			order[k] = int64(i)
		}
		read, written, calls := traffic(t)
		s, err := r.Shuffle(t.Context(), Numbers(order))
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if _, err := s.At(i); err != nil {
				t.Fatal(err)
			}
		}
		s.Close()
		nowRead, nowWritten, nowCalls := traffic(t)
		size := int64(n * length)
		slack := int64(1<<20 + n*placeBytes) // the new file has each row's place, too
		if got := nowRead - read; got < 2*size || got > 2*size+slack {
			t.Errorf("%d rows of %d bytes in all: %d bytes were read", n, size, got)
		}
		if got := nowWritten - written; got < size || got > size+slack {
			t.Errorf("%d rows of %d bytes in all: %d bytes were written", n, size, got)
		}
		if got := nowCalls - calls; got > 100+size/(100<<10) {
			t.Errorf("%d rows of %d bytes in all: %d calls", n, size, got)
		}
	}
}
