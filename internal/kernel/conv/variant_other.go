//go:build (!amd64 && !arm64) || noasm

package conv

import "github.com/dl4go/dl4go/internal/kernel"

// gather copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k.
func gather(_ kernel.Variant, dst []float32, dstRow int, src []float32, offsets []int32, n int) {
	gatherPortable(dst, dstRow, src, offsets, n)
}

// collect computes, for every channel c, dst[c*dstChannel+i] = Σ src[c*srcChannel+at+i], i in [0, n), over the terms
// that have i, in order.
func collect(_ kernel.Variant, dst []float32, dstChannel int, src []float32, srcChannel, channels int, terms []term,
	n, width int) {
	collectPortable(dst, dstChannel, src, srcChannel, channels, terms, n, width)
}

func (d *dot) run(kernel.Variant) { d.runPortable() }

func (d *window) run(kernel.Variant) { d.runPortable() }
