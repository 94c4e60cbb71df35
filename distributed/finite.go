package distributed

import (
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// notFinite finds the first of n examples with an output that is NaN or infinite. It returns the example's index, or -1
// if there is none, and the number.
func notFinite(outputs []*tensor.Dense, n int) (first int, v float32) {
	first = -1
	for _, y := range outputs {
		for k, x := range y.Data {
			if d := float64(x); !math.IsNaN(d) && !math.IsInf(d, 0) {
				continue
			}
			if i := k / y.RowSize() % n; first < 0 || i < first {
				first, v = i, x
			}
		}
	}
	return first, v
}
