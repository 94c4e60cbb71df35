package threshold

import "fmt"

// OverflowError means that a residual has numbers with which training cannot continue, because the learning rate is too
// high or the gradients overflow.
type OverflowError struct {
	Iteration int
	Index     int     // of the parameter: the first one that is not a finite number, else the one of the largest magnitude
	Value     float32 // its residual
}

func (e *OverflowError) Error() string {
	return fmt.Sprintf("iteration %d: the update of parameter %d overflows (%g); lower the learning rate",
		e.Iteration, e.Index, e.Value)
}

// overflow finds the parameter to blame.
func (e *Encoder) overflow(iteration int) error {
	worst := &OverflowError{Iteration: iteration}
	for i, v := range e.residual {
		if v-v != 0 {
			return &OverflowError{iteration, i, v}
		}
		if max(v, -v) > max(worst.Value, -worst.Value) {
			worst.Index, worst.Value = i, v
		}
	}
	return worst
}
