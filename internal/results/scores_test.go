package results

import (
	"math"
	"testing"
)

// TestScoreDigits: a score has the digits that were computed, and no more.
func TestScoreDigits(t *testing.T) {
	for want, score := range map[string]float64{"0.1": float64(float32(0.1)), "0.33333334": float64(float32(1. / 3)),
		"0.3333333333333333": 1. / 3, "2": 2,
		"-1e+300": -1e300, "NaN": math.NaN(), "+Inf": math.Inf(1)} {
		if got := string(appendScore(nil, score)); got != want {
			t.Errorf("%v is written as %s, not %s", score, got, want)
		}
	}
}
