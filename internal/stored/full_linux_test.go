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
