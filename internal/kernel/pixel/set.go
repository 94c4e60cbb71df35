// Package pixel has the kernels that decode and resize pictures: the inverse cosine transform of JPEG, chroma in the
// resolution of luma, colours, and the two passes of a resize.
//
// Every variant returns the same bytes. Kernels keep nothing and allocate nothing. Any number of goroutines may call
// them.
package pixel

import "github.com/dl4go/dl4go/internal/kernel"

// Set holds the kernels of one variant.
type Set struct {
	Variant kernel.Variant

	// Inverse multiplies the coefficients of a block by those of quant, transforms them, and writes 8 rows of 8
	// samples, which are stride bytes apart. It is the accurate integer transform of the Independent JPEG Group.
	// Products wrap around at 16 bits and sums at 32; results between the passes saturate at 16. Those of images never
	// get that large.
	Inverse func(coefs, quant *[64]int16, dst []uint8, stride int)
	// Fill is Inverse for a block that only has the first coefficient, already multiplied.
	Fill func(first int16, dst []uint8, stride int)
	// Blend sets dst to 3·near + far.
	Blend func(dst []uint16, near, far []uint8)
	// Widen writes two samples for each element of src except the first and last, which are only neighbours: (3·src[i]
	// + src[i-1] + even) / 16 and (3·src[i] + src[i+1] + odd) / 16. dst has 2·(len(src)-2) samples. The elements of
	// src are below 4·256.
	Widen func(dst []uint8, src []uint16, even, odd uint16)
	// Colours converts luma and chroma to red, green and blue of len(dst)/3 pixels, as defined by JFIF.
	Colours func(dst, y, cb, cr []uint8)
	// Squeeze makes a row of len(taps.First) pixels from row. The pixels have 3 channels.
	Squeeze func(dst, row []uint8, taps *Taps)
	// Mix sets dst to the weighted sum of rows of src, which are stride bytes apart.
	Mix func(dst, src []uint8, stride int, weights []int32)
}

// For returns the kernels of a variant that kernel.Available lists. The set is shared: it must not be written to.
func For(v kernel.Variant) *Set { return sets[v] }

func mustMatch(ok bool) {
	if !ok {
		panic("pixel: slices of different lengths")
	}
}
