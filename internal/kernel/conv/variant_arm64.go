//go:build arm64 && !noasm

package conv

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

// gather copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k.
func gather(v kernel.Variant, dst []float32, dstRow int, src []float32, offsets []int32, n int) {
	if len(offsets) == 0 || n == 0 {
		return
	}
	if v == kernel.NEON {
		gatherNEON(&dst[0], dstRow, &src[0], &offsets[0], len(offsets), n)
	} else {
		gatherPortable(dst, dstRow, src, offsets, n)
	}
}

// collect computes, for every channel c, dst[c*dstChannel+i] = Σ src[c*srcChannel+at+i], i in [0, n), over the terms
// that have i, in order.
func collect(v kernel.Variant, dst []float32, dstChannel int, src []float32, srcChannel, channels int, terms []term,
	n, width int) {
	t := (*int32)(unsafe.Pointer(unsafe.SliceData(terms)))
	if v == kernel.NEON {
		collectNEON(&dst[0], dstChannel, &src[0], srcChannel, channels, t, len(terms), n, width)
	} else {
		collectPortable(dst, dstChannel, src, srcChannel, channels, terms, n, width)
	}
}

func (d *dot) run(v kernel.Variant) {
	if v == kernel.NEON {
		dotNEON((*byte)(unsafe.Pointer(d)))
	} else {
		d.runPortable()
	}
}

func (d *window) run(v kernel.Variant) {
	if v == kernel.NEON {
		windowNEON((*byte)(unsafe.Pointer(d)))
	} else {
		d.runPortable()
	}
}
