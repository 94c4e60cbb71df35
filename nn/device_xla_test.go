//go:build xla

package nn

import (
	"math"
	"os"
	"path/filepath"
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
	oracleBeside = besideProcessor
	code := m.Run()
	device.Close()
	os.Exit(code)
}

// besideProcessor compares score and gradient of a case on a device with those on the processor: within 1e-4, or 1e-6
// of the largest element where rounding errors are all that is left.
func besideProcessor(t *testing.T, c *oracleCase, score float64, gradient []float32) {
	net, err := LoadNetwork(t.Context(), filepath.Join(c.dir, "model.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer net.Close()
	want, all, err := net.Gradient(c.data(t), Key{})
	if err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for _, g := range all {
		largest = max(largest, math.Abs(float64(g)))
	}
	oracleScore(t, "the score in training beside the processor's", score, want)
	oracleClose(t, "gradient beside the processor's", gradient, all, max(1e-6, 1e-6*largest), 1e-4, nil)
}
