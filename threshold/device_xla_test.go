//go:build xla

package threshold

import (
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/xla"
	"github.com/dl4go/dl4go/program"
)

// With the tag xla, devices are the plugin of DL4GO_XLA_PLUGIN in the device process DL4GO_XLA.
func init() {
	deviceExecutor = func(t *testing.T) program.Executor {
		x, err := xla.New(xla.Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN"),
			Cache: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(x.Close)
		return x
	}
}
