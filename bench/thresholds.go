package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/distributed/sharing"
	"github.com/dl4go/dl4go/threshold"
)

// algorithm returns a threshold algorithm by its name on the command line: default (ours), dl4j (Deeplearning4j's),
// largest:SHARE, fixed:THRESHOLD, adaptive:INITIAL:LEAST:MOST or target:INITIAL:SHARE. LEAST, MOST and SHARE are shares of the
// parameters that a step sends.
func algorithm(name string) (threshold.Algorithm, error) {
	kind, rest, _ := strings.Cut(name, ":")
	var x []float64
	for s := range strings.SplitSeq(rest, ":") {
		if rest == "" {
			break
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, fmt.Errorf("threshold algorithm %s: %w", name, err)
		}
		x = append(x, v)
	}
	var a threshold.Algorithm
	switch {
	case kind == "default" && len(x) == 0:
		a = sharing.DefaultAlgorithm()
	case kind == "dl4j" && len(x) == 0:
		a = threshold.Default()
	case kind == "largest" && len(x) == 1:
		a = threshold.Largest{Share: x[0]}
	case kind == "fixed" && len(x) == 1:
		a = threshold.Fixed{T: x[0]}
	case kind == "adaptive" && len(x) == 3:
		b := threshold.NewAdaptive(x[0])
		b.MinTargetSparsity, b.MaxTargetSparsity, b.CountBitmaps = x[1], x[2], true
		a = b
	case kind == "target" && len(x) == 2:
		b := threshold.NewTargetSparsity(x[1])
		b.InitialThreshold = x[0]
		a = b
	default:
		return nil, fmt.Errorf("there is no threshold algorithm %q: default, dl4j, largest:SHARE, fixed:THRESHOLD, adaptive:INITIAL:LEAST:MOST, target:INITIAL:SHARE", name)
	}
	return a, a.Validate()
}
