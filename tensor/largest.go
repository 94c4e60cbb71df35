package tensor

// Largest is the place of the largest number of x, the first one of equals, and never that of a NaN behind a number.
func Largest(x []float32) int {
	best := 0
	for i, v := range x {
		if v > x[best] {
			best = i
		}
	}
	return best
}
