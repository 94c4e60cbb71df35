package main

import (
	"errors"
	"math"
	"testing"
)

// full is a disk without room.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

// TestLostOutput: a command whose lines could not be written fails at its end.
func TestLostOutput(t *testing.T) {
	for _, json := range []bool{false, true} {
		o := &output{out: full{}, err: full{}, json: json}
		o.line("score %g", 0.5)
		if err := o.done(event{"score": 0.5}); !errors.Is(err, errFull) {
			t.Errorf("json %v: got %v", json, err)
		}
	}
}

// TestScoreDigits: a score has the digits that were computed, and no others.
func TestScoreDigits(t *testing.T) {
	for want, score := range map[string]float64{"0.1": float64(float32(0.1)), "0.33333334": float64(float32(1. / 3)), "0.3333333333333333": 1. / 3, "2": 2,
		"-1e+300": -1e300, "NaN": math.NaN(), "+Inf": math.Inf(1)} {
		if got := string(appendScore(nil, score)); got != want {
			t.Errorf("%v is written as %s, not %s", score, got, want)
		}
	}
}
