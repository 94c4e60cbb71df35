// Package near compares numbers up to rounding errors. It is for tests.
package near

import (
	"fmt"
	"math"
)

type float interface{ ~float32 | ~float64 }

// Equal reports whether two numbers differ by at most absolute + relative × |want|. An infinity only equals itself, and
// NaN equals nothing.
func Equal[T float](got, want T, absolute, relative float64) bool {
	g, w := float64(got), float64(want)
	if g == w {
		return true
	}
	return !math.IsInf(g, 0) && !math.IsInf(w, 0) && math.Abs(g-w) <= absolute+relative*math.Abs(w)
}

// OrNaN is Equal, except that NaN equals NaN.
func OrNaN[T float](got, want T, absolute, relative float64) bool {
	return got != got && want != want || Equal(got, want, absolute, relative)
}

// All returns an error with the first elements of two lists that are not Equal, or with the lengths if they differ.
func All[T float](got, want []T, absolute, relative float64) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i, w := range want {
		if !Equal(got[i], w, absolute, relative) {
			return fmt.Errorf("element %d is %v, want %v", i, got[i], w)
		}
	}
	return nil
}
