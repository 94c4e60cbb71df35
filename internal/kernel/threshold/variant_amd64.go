//go:build amd64 && !noasm

package threshold

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

var sets = [...]*Set{kernel.Portable: &portable, kernel.AVX2: &avx2, kernel.AVX512: &avx512}

var avx2 = Set{
	Variant:      kernel.AVX2,
	Find:         find(findAVX2, 32),
	Count:        count(countAVX2, 32),
	EncodeBitmap: encodeBitmap(encodeBitmapAVX2),
	AddBitmap:    addBitmap(addBitmapAVX2),
	AddEntries:   addEntriesAhead,
	PackBitmap:   packBitmapFours,
	UnpackBitmap: unpackBitmapFours,
	CountBitmap:  countBitmapFours,
}

var avx512 = Set{
	Variant:      kernel.AVX512,
	Find:         find(findAVX512, 64),
	Count:        count(countAVX512, 64),
	EncodeBitmap: encodeBitmap(encodeBitmapAVX512),
	AddBitmap:    addBitmap(addBitmapAVX512),
	AddEntries:   addEntriesAhead,
	PackBitmap:   packBitmapFours,
	UnpackBitmap: unpackBitmapFours,
	CountBitmap:  countBitmapFours,
}

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
		return f(at(dst), at(x), n, t, t/2) + encodeBitmapPortable(dst[n:], x[16*n:], t)
	}
}

func addBitmap(f func(x *float32, src *uint32, words int, t, half float32)) func(x []float32,
	words []uint32, t float32) {
	return func(x []float32, words []uint32, t float32) {
		mustMatch(len(words), WordsOf(len(x)))
		n := len(x) / 16
		f(at(x), at(words), n, t, t/2)
		addBitmapPortable(x[16*n:], words[n:], t)
	}
}

func addEntriesAhead(x []float32, entries []int32, t float32) {
	done := addEntries(at(x), len(x), at(entries), len(entries), t)
	addEntriesPortable(x, entries[done:], t) // panics like the reference
}

// split returns how many words are in groups of four, and the number of groups.
func split(words []uint32) (n, groups int) { return len(words) &^ 3, len(words) / 4 }

func packBitmapFours(places, signs, wholes []byte, words []uint32) (values, downs int) {
	mustMatch(len(places), 2*len(words))
	n, groups := split(words)
	left, values, downs, signsRest, wholesRest := packBitmap(at(places), at(signs), len(signs), at(wholes),
		len(wholes), at(words), groups)
	if left > 0 {
		panic("threshold: a bitmap that has no room")
	}
	s, w := continueAt(signs, values, signsRest), continueAt(wholes, downs, wholesRest)
	pack(places[2*n:], words[n:], &s, &w)
	return s.end(), w.end()
}

// continueAt continues a stream of n bits. The bits after the last whole group of 64 are not written yet.
func continueAt(b []byte, n int, rest uint64) bitWriter {
	w := bitWriter{b: b, at: n / 64 * 8, acc: rest, n: uint(n % 64)}
	w.flush()
	return w
}

func unpackBitmapFours(words []uint32, places, signs, wholes []byte) (values, downs int) {
	mustMatch(len(places), 2*len(words))
	n, groups := split(words)
	values, downs = unpackBitmap(at(words), groups, at(places), at(signs), len(signs), at(wholes), len(wholes))
	return unpack(words[n:], places[2*n:], signs, wholes, values, downs)
}

func countBitmapFours(words []uint32) int {
	n, groups := split(words)
	return countBitmap(at(words), groups) + countBitmapPortable(words[n:])
}
