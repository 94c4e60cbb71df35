// Package threshold has the kernels of the threshold codec: they find the elements of a residual that reach a
// threshold, write them as entries or as a bitmap, add such messages to a vector, and take bitmaps apart for the wire.
//
// An entry is ±(i+1) for element i: the sign says which way it moves. A bitmap has 16 elements to a word: bit j of word
// w says that |x| ≥ t for element 16w+j, bit 16+j that it moves down. A lone upper bit stands for half a threshold
// down.
//
// Thresholds are finite and above 0. NaN reaches none, an infinity all. Every variant gives the same bits. Kernels keep
// nothing and allocate nothing; they may be called from any number of goroutines. They touch no memory that they need
// not write: a cache line without hits stays clean.
package threshold

import "github.com/dl4go/dl4go/internal/kernel"

// Set is the kernels of one variant.
type Set struct {
	Variant kernel.Variant

	// Find writes the entries of the elements with |x[i]| ≥ t to dst, in order; x[0] is element base. It
	// stops before the first that dst has no room for; found is how many it wrote, seen how many elements it looked at.
	Find func(dst []int32, x []float32, t float32, base int) (found, seen int)
	// Count is the number of elements with |x[i]| ≥ t.
	Count func(x []float32, t float32) int
	// EncodeBitmap sets dst, of ⌈len(x)/16⌉ words, to the bitmap of x and subtracts what it says from x: t where |x[i]| ≥
	// t, with x's sign, and -t/2 where -t < x[i] ≤ -t/2. It gives the number of elements that have changed.
	EncodeBitmap func(dst []uint32, x []float32, t float32) int
	// AddBitmap adds the bitmap's elements times t, which may be negative here, to x.
	AddBitmap func(x []float32, words []uint32, t float32)
	// AddEntries adds ±t, which may be negative here, to the elements that the entries name. It panics where one is not in
	// x.
	AddEntries func(x []float32, entries []int32, t float32)

	// PackBitmap takes words apart, into streams of bits whose first is the lowest of a byte. places has 16 bits for each
	// word: where there is a value, 2·len(words) bytes. signs has one bit for each value: the word's upper bit. wholes has
	// one for each value that goes down: the word's lower bit. Zeros fill both up to a whole byte; what is beyond stays as
	// it was. It gives the number of bits in each, and panics where they have no room.
	PackBitmap func(places, signs, wholes []byte, words []uint32) (values, downs int)
	// UnpackBitmap sets words to what PackBitmap took apart. It gives how many bits of signs and wholes that takes, which
	// may be more than there are: those beyond the end are zeros. It looks at no others.
	UnpackBitmap func(words []uint32, places, signs, wholes []byte) (values, downs int)
	// CountBitmap is the number of values in words.
	CountBitmap func(words []uint32) int
}

// For returns the kernels of a variant that kernel.Available lists. The set is shared: it must not be written to.
func For(v kernel.Variant) *Set { return sets[v] }

// WordsOf is the number of a bitmap's words for n elements.
func WordsOf(n int) int { return (n + 15) / 16 }

func mustMatch(n, m int) {
	if m != n {
		panic("threshold: slices of different lengths")
	}
}
