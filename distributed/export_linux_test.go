package distributed_test

import (
	"errors"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/faulttest"
)

// TestExportToAFullDisk checks that an export to a full disk says so and leaves nothing.
func TestExportToAFullDisk(t *testing.T) {
	small := t.TempDir()
	faulttest.MountSmall(t, small, "16k")
	for _, master := range []string{"local[2]", "processes[2]"} {
		e, err := engine.Open(ctx, master, quiet(t))
		if err != nil {
			t.Fatal(err)
		}
		d := uneven(t, e)
		many := d.Rows().Select(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		if _, err := distributed.FromRows(many).Export(ctx, small, 1); !errors.Is(err, syscall.ENOSPC) ||
			strings.Count(err.Error(), "disk is full") != 1 || !strings.Contains(err.Error(), small) {
			t.Errorf("%s: %v", master, err)
		}
		if left, err := os.ReadDir(small); err != nil || len(left) != 0 {
			t.Errorf("%s left %v, error %v", master, left, err)
		}
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
}
