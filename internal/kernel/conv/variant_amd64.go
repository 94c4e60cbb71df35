//go:build amd64 && !noasm

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
	switch v {
	case kernel.AVX512:
		gatherAVX512(&dst[0], dstRow, &src[0], &offsets[0], len(offsets), n)
	case kernel.AVX2:
		gatherAVX2(&dst[0], dstRow, &src[0], &offsets[0], len(offsets), n)
	default:
		gatherPortable(dst, dstRow, src, offsets, n)
	}
}

// collect computes, for every channel c, dst[c*dstChannel+i] = Σ src[c*srcChannel+at+i], i in [0, n), over the terms
// that have i, in order.
func collect(v kernel.Variant, dst []float32, dstChannel int, src []float32, srcChannel, channels int, terms []term,
	n, width int) {
	t := (*int32)(unsafe.Pointer(unsafe.SliceData(terms)))
	switch v {
	case kernel.AVX512:
		collectAVX512(&dst[0], dstChannel, &src[0], srcChannel, channels, t, len(terms), n, width)
	case kernel.AVX2:
		collectAVX2(&dst[0], dstChannel, &src[0], srcChannel, channels, t, len(terms), n, width)
	default:
		collectPortable(dst, dstChannel, src, srcChannel, channels, terms, n, width)
	}
}

func (d *dot) run(v kernel.Variant) {
	switch v {
	case kernel.AVX512:
		dotAVX512((*byte)(unsafe.Pointer(d)))
	case kernel.AVX2:
		dotAVX2((*byte)(unsafe.Pointer(d)))
	default:
		d.runPortable()
	}
}

func (d *window) run(v kernel.Variant) {
	switch v {
	case kernel.AVX512:
		windowAVX512((*byte)(unsafe.Pointer(d)))
	case kernel.AVX2:
		windowAVX2((*byte)(unsafe.Pointer(d)))
	default:
		d.runPortable()
	}
}
