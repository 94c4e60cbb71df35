package threshold

import "fmt"

// OverflowError reports a residual with numbers that training cannot continue with, because the learning rate is too
// high or the gradients overflow.
type OverflowError struct {
	Iteration int
	Index     int     // of the parameter: the first that is not finite, or else the one of the largest magnitude
	Value     float32 // its residual
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("iteration %d: the update of parameter %d overflows (%g); lower the learning rate",
		e.Iteration, e.Index, e.Value)
}

// overflowed finds the parameter whose residual has overflowed.
func overflowed(residual []float32, iteration int) error {
	worst := &OverflowError{Iteration: iteration}
	for i, v := range residual {
		if v-v != 0 {
			return &OverflowError{iteration, i, v}
		}
		if max(v, -v) > max(worst.Value, -worst.Value) {
			worst.Index, worst.Value = i, v
		}
	}
	return worst
}
