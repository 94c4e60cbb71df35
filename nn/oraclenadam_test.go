package nn

import (
	"math"
	"path/filepath"
	"testing"
)

// TestOracleNadam: Deeplearning4j computes 1−β₂ in float32, which is 1.3e-5 less than 0.001. So its first update of 0.6
// is 4e-6 larger than ours. With that number, its own gradient leads to its parameters.
func TestOracleNadam(t *testing.T) {
	c := oracleCase{dir: filepath.Join("..", "testdata", "oracle", "nets", "updater-nadam")}
	c.read(t)
	before, gradient, after := c.array(t, "params_before"), c.array(t, "gradient"), c.array(t, "params_after_1")
	minibatch := float64(c.Files["features"].Shape[0])
	const rate, beta1, epsilon = 0.01, 0.9, 1e-8
	for _, rest := range []struct {
		of          float64
		least, most float64 // of the largest difference
	}{{1 - 0.999, 3e-6, 5e-6}, {float64(1 - float32(0.999)), 0, 2e-7}} {
		worst := 0.0
		for i, sum := range gradient.Data {
			g := float64(sum) / minibatch
			m := (1 - beta1) * g
			update := rate / (1 - beta1) * (beta1*m + (1-beta1)*g) / (math.Sqrt(rest.of*g*g) + epsilon)
			worst = max(worst, math.Abs(float64(before.Data[i])-update-float64(after.Data[i])))
		}
		if !(worst >= rest.least && worst <= rest.most) {
			t.Errorf("1−β₂ = %v: parameters differ by %g", rest.of, worst)
		}
	}
}
