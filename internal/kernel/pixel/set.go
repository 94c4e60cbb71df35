// Package pixel has the kernels that decode and resize pictures: the inverse cosine transform of JPEG, chroma in the
// resolution of luma, colours, and the two passes of a resize.
//
// Every variant gives the same bytes. Kernels keep nothing and allocate nothing; they may be called from any number of
// goroutines.
package pixel

import "github.com/dl4go/dl4go/internal/kernel"

// Set is the kernels of one variant.
type Set struct {
	Variant kernel.Variant

	// Inverse multiplies the coefficients of a block by those of quant, transforms them, and writes 8 rows of 8 samples,
	// which are stride bytes apart. It is the accurate integer transform of the Independent JPEG Group. Products wrap
	// around at 16 bits, sums at 32, and results between the passes saturate at 16; those of images never come so far.
	Inverse func(coefs, quant *[64]int16, dst []uint8, stride int)
	// Fill is Inverse for a block of only the first coefficient, which is multiplied already.
	Fill func(first int16, dst []uint8, stride int)
	// Blend sets dst to 3·near + far.
	Blend func(dst []uint16, near, far []uint8)
	// Widen writes two samples for each of src but its first and last, which are neighbours only:
	// (3·src[i] + src[i-1] + even) / 16 and (3·src[i] + src[i+1] + odd) / 16. dst has 2·(len(src)-2) samples. Those of src
	// are below 4·256.
	Widen func(dst []uint8, src []uint16, even, odd uint16)
	// Colours sets dst to red, green and blue of len(dst)/3 pixels of luma and chroma, as JFIF defines them.
	Colours func(dst, y, cb, cr []uint8)
	// Squeeze makes a row of len(taps.First) pixels of row, whose pixels have 3 channels.
	Squeeze func(dst, row []uint8, taps *Taps)
	// Mix sets dst to the sum of rows of src, stride bytes apart, with those weights.
	Mix func(dst, src []uint8, stride int, weights []int32)
}

// For returns the kernels of a variant that kernel.Available lists. The set is shared: it must not be written to.
func For(v kernel.Variant) *Set { return sets[v] }

func mustMatch(ok bool) {
	if !ok {
		panic("pixel: slices of different lengths")
	}
}
