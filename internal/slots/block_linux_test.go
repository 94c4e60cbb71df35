package slots

import (
	"bufio"
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/need"
)

// TestSpillDiskFull: the error of a full disk names the directory and the needed space.
func TestSpillDiskFull(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	need.From(t, err, "run the tests where /dev/full can be opened")
	defer full.Close()
	s := &spill{block: &fileBlock{file: full}, out: bufio.NewWriterSize(full, 16), dir: "/somewhere", at: 2e9}
	err = s.Write(engine.Unindexed(make([]byte, 100)))
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "/somewhere: ") ||
		!strings.Contains(err.Error(), "2.00 GB") {
		t.Error(err)
	}
}
