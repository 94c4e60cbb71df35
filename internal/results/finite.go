package results

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/tensor"
)

// NotFiniteError is about a result that is NaN or infinite.
type NotFiniteError struct {
	What    string // "the output"
	Value   float64
	Example int    // from 0
	Key     string // of the example; it may be empty
}

// Error names the example: by its key, too.
func (e *NotFiniteError) Error() string {
	of := fmt.Sprintf("example %d of the data", e.Example)
	if e.Key != "" {
		of += fmt.Sprintf(" (key %s)", strconv.Quote(e.Key))
	}
	return fmt.Sprintf("%s of %s is %v", e.What, of, e.Value)
}

// Finite reports whether a result is a number.
func Finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// CheckOutputs wants numbers as the outputs for example n. Its error is a *NotFiniteError.
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

// CheckScore wants a number as the score of example n. Its error is a *NotFiniteError.
func CheckScore(n int, key string, score float64) error {
	if !Finite(score) {
		return &NotFiniteError{"the score", score, n, key}
	}
	return nil
}
