// Package threshold has the kernels of the threshold codec: they find the elements of a residual that reach a
// threshold, write them as entries or as a bitmap, add such messages to a vector, and take bitmaps apart for the wire.
//
// An entry is ±(i+1) for element i; the sign says in which direction the element moves. A bitmap has 16 elements per
// word: bit j of word w says that |x| ≥ t for element 16w+j, and bit 16+j that the element moves down. An upper bit
// alone means half a threshold down.
//
// Thresholds are finite and above 0. NaN reaches no threshold, an infinity reaches all. Every variant returns the same
// bits. Kernels keep nothing and allocate nothing. Any number of goroutines may call them. They only write the memory
// that they must: a cache line without hits stays clean.
package threshold

import "github.com/dl4go/dl4go/internal/kernel"

// Set holds the kernels of one variant.
type Set struct {
	Variant kernel.Variant

	// Find writes the entries of the elements with |x[i]| ≥ t to dst, in order; x[0] is element base. It stops when
	// dst is full. found is the number of entries, and seen the number of elements that it tested.
	Find func(dst []int32, x []float32, t float32, base int) (found, seen int)
	// Count is the number of elements with |x[i]| ≥ t.
	Count func(x []float32, t float32) int
	// EncodeBitmap sets dst, of ⌈len(x)/16⌉ words, to the bitmap of x and subtracts the encoded values from x: t where
	// |x[i]| ≥ t, with x's sign, and -t/2 where -t < x[i] ≤ -t/2. It returns the number of changed elements.
	EncodeBitmap func(dst []uint32, x []float32, t float32) int
	// EncodeScaled sets dst, of ⌈len(x)/16⌉ words, to the bitmap of the elements with |x[i]| ≥ t. It subtracts step, with
	// x's sign, from those. It returns their number, and the largest magnitude that x had, as AddTimes does.
	EncodeScaled func(dst []uint32, x []float32, t, step float32) (values int, largest float32)
	// AddBitmap adds the bitmap's values to x; t may be negative here.
	AddBitmap func(x []float32, words []uint32, t float32)
	// AddTimes computes x += times·u. The product is rounded, then the sum. It returns the largest magnitude of x. That
	// is NaN if x has NaN, and 0 if x is empty.
	AddTimes func(x, u []float32, times float32) (largest float32)
	// AddEntries adds ±t to the elements of the entries; t may be negative here. It panics if an entry is not in x.
	AddEntries func(x []float32, entries []int32, t float32)
	// UnpackEntries restores entries from the streams of PackEntries, and returns the number of bits that are 1 in
	// places. If there is no room for as many entries, it stops early, and the number is only above len(entries). Bits
	// beyond the end of signs are zeros and are not read.
	UnpackEntries func(entries []int32, places, signs []byte) (values int)
	// ReadGaps reads values from b to entries and, if there are any, their multiples, and returns how many. It stops
	// among the last bytes and in front of a value that is no regular one: a gap with an escape, one that goes beyond
	// the end, or a multiple from 2^22 on. It may write up to the end of entries and multiples.
	ReadGaps func(r GapReader, entries, multiples []int32, b []byte) (now GapReader, values int)

	// PackBitmap splits words into streams of bits. The first bit is the lowest of a byte. places has 16 bits for each
	// word, which say where values are: 2·len(words) bytes. signs has one bit for each value: the word's upper bit.
	// wholes has one bit for each value that goes down: the word's lower bit. The last byte of both is filled with
	// zeros; the bytes after it do not change. It returns the number of bits of each, and panics if there is no room
	// for them.
	PackBitmap func(places, signs, wholes []byte, words []uint32) (values, downs int)
	// UnpackBitmap restores the words from PackBitmap's streams. It returns the numbers of bits of signs and wholes
	// that it needs. Those may be more than there are: bits beyond the end are zeros and are not read.
	UnpackBitmap func(words []uint32, places, signs, wholes []byte) (values, downs int)
	// CountBitmap returns the number of values in words.
	CountBitmap func(words []uint32) int
	// CountMarks returns the number of words' lower bits, and whether an upper bit has no lower one.
	CountMarks func(words []uint32) (values int, alone bool)
}

// For returns the kernels of a variant that kernel.Available lists. The set is shared: it must not be written to.
func For(v kernel.Variant) *Set { return sets[v] }

// WordsOf returns the number of a bitmap's words for n elements.
func WordsOf(n int) int { return (n + 15) / 16 }

func mustMatch(n, m int) {
	if m != n {
		panic("threshold: slices of different lengths")
	}
}
