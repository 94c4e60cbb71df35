package tensor

// Largest returns the index of the largest number of x, or the first such index if there are several. It skips NaN,
// unless x begins with it: then it returns 0. It also returns 0 for an empty x.
func Largest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
