package results

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/tensor"
)

// NotFiniteError is an error about a result that is NaN or infinite.
type NotFiniteError struct {
	What    string // "the output"
	Value   float64
	Example int    // from 0
	Key     string // of the example; it may be empty
}

// Error names the example, with its key.
func (e *NotFiniteError) Error() string {
	of := fmt.Sprintf("example %d of the data", e.Example)
	if e.Key != "" {
		of += fmt.Sprintf(" (key %s)", strconv.Quote(e.Key))
	}
	return fmt.Sprintf("%s of %s is %v", e.What, of, e.Value)
}

// Finite reports whether x is neither NaN nor infinite.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// CheckOutputs checks that the outputs for example n are finite. Its error is a *NotFiniteError.
func CheckOutputs(n int, key string, outputs []*tensor.Dense) error {
	for _, y := range outputs {
		for _, v := range y.Data {
			if !Finite(float64(v)) {
				return &NotFiniteError{"the output", float64(v), n, key}
			}
		}
	}
	return nil
}

// CheckScore checks that the score of example n is finite. Its error is a *NotFiniteError.
func CheckScore(n int, key string, score float64) error {
	if !Finite(score) {
		return &NotFiniteError{"the score", score, n, key}
	}
	return nil
}
