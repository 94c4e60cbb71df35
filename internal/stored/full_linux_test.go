package stored

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/internal/need"
)

// TestFullWhileWriting: if the disk has no room for rows, the error names the directory.
func TestFullWhileWriting(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	need.From(t, err, "run the tests where /dev/full can be opened")
	w := &Writer{options: Options{Dir: "/somewhere"}, rows: &Rows{file: full}, onDisk: true}
	defer w.Close()
	err = w.Add(make([]byte, writeBytes))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/somewhere: ") {
		t.Error(err)
	}
}

// TestFullWhileShuffling: if the disk has no room for the shuffled rows or for their order, the error names the
// directory.
func TestFullWhileShuffling(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	need.From(t, err, "run the tests where /dev/full can be opened")
	defer full.Close()
	from := numbered(t, t.TempDir(), 3, 8)
	s := &shuffle{from: from, to: &Rows{dir: "/somewhere", file: full}, rows: 3, stride: 8, each: 3, shift: 2}
	err = s.run(t.Context(), Numbers{2, 0, 1})
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/somewhere: ") {
		t.Errorf("rows: %v", err)
	}
	order := newSpill("/somewhere", "test records", 1)
	order.file, order.memory = full, 0
	for err = nil; err == nil; {
		err = order.add(0, 1)
	}
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/somewhere: ") {
		t.Errorf("order: %v", err)
	}
}
