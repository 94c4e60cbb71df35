//go:build xla

package nn

import (
	"os"
	"testing"

	"github.com/dl4go/dl4go/internal/xla"
)

// With the tag xla, TestOracle runs on the plugin of DL4GO_XLA_PLUGIN in the device process DL4GO_XLA.
func TestMain(m *testing.M) {
	device, err := xla.New(xla.Options{Program: os.Getenv("DL4GO_XLA"), Plugin: os.Getenv("DL4GO_XLA_PLUGIN")})
	if err != nil {
		panic(err)
	}
	oracleDevice = func(n *Network) { n.SetExecutor(device) }
	code := m.Run()
	device.Close()
	os.Exit(code)
}
