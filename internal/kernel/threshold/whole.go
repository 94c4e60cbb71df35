//go:build (amd64 || arm64) && !noasm

package threshold

import (
	"math"
	"unsafe"
)

// These functions give the assembly kernels the signatures of Set. They pass the rest after the last whole group to
// the portable kernels.

func at[T any](v []T) *T { return unsafe.SliceData(v) }

func find(f func(dst *int32, room int, x *float32, n int, t float32, base int) (found, seen int), group int) func(
	dst []int32, x []float32, t float32, base int) (found, seen int) {
	return func(dst []int32, x []float32, t float32, base int) (found, seen int) {
		found, seen = f(at(dst), len(dst), at(x), len(x)/group*group, t, base)
		more, rest := findPortable(dst[found:], x[seen:], t, base+seen)
		return found + more, seen + rest
	}
}

func count(f func(x *float32, n int, t float32) int, group int) func(x []float32, t float32) int {
	return func(x []float32, t float32) int {
		n := len(x) / group * group
		return f(at(x), n, t) + countPortable(x[n:], t)
	}
}

func encodeBitmap(f func(dst *uint32, x *float32, words int, t, half float32) int) func(dst []uint32,
	x []float32, t float32) int {
	return func(dst []uint32, x []float32, t float32) int {
		mustMatch(len(dst), WordsOf(len(x)))
		n := len(x) / 16
		return f(at(dst), at(x), n, t, halved(t)) + encodeBitmapPortable(dst[n:], x[16*n:], t)
	}
}

func encodeScaled(f func(dst *uint32, x *float32, words int, t, step float32) (values int, largest float32)) func(
	dst []uint32, x []float32, t, step float32) (values int, largest float32) {
	return func(dst []uint32, x []float32, t, step float32) (values int, largest float32) {
		mustMatch(len(dst), WordsOf(len(x)))
		n := len(x) / 16
		values, largest = f(at(dst), at(x), n, t, step)
		more, rest := encodeScaledPortable(dst[n:], x[16*n:], t, step)
		return values + more, larger(largest, rest)
	}
}

// larger returns the larger one of two magnitudes. NaN is above all numbers.
func larger(x, y float32) float32 {
	return math.Float32frombits(max(math.Float32bits(x), math.Float32bits(y)))
}

func addBitmap(f func(x *float32, src *uint32, words int, t, half float32)) func(x []float32,
	words []uint32, t float32) {
	return func(x []float32, words []uint32, t float32) {
		mustMatch(len(words), WordsOf(len(x)))
		n := len(x) / 16
		f(at(x), at(words), n, t, halved(t))
		addBitmapPortable(x[16*n:], words[n:], t)
	}
}

func addTimes(f func(x, u *float32, n int, times float32) float32, group int) func(x, u []float32,
	times float32) float32 {
	return func(x, u []float32, times float32) float32 {
		mustMatch(len(u), len(x))
		n := len(x) / group * group
		return larger(f(at(x), at(u), n, times), addTimesPortable(x[n:], u[n:], times))
	}
}

// split returns how many words are in groups of four, and the number of groups.
func split(words []uint32) (n, groups int) { return len(words) &^ 3, len(words) / 4 }

func fours(f func(words *uint32, groups int) int) func(words []uint32) int {
	return func(words []uint32) int {
		n, groups := split(words)
		return f(at(words), groups) + countBitmapPortable(words[n:])
	}
}

func countsOfFours(f func(words *uint32, groups int) (values int, alone uint64)) func(words []uint32) (int, bool) {
	return func(words []uint32) (int, bool) {
		n, groups := split(words)
		values, first := f(at(words), groups)
		more, rest := countMarksPortable(words[n:])
		return values + more, first != 0 || rest
	}
}
