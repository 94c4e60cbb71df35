//go:build amd64 && !noasm

package conv

import "github.com/dl4go/dl4go/internal/kernel"

// gather copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k.
func gather(_ kernel.Variant, dst []float32, dstRow int, src []float32, offsets []int32, n int) {
	gatherPortable(dst, dstRow, src, offsets, n)
}

// scatterAdd adds src[k*srcRow:][:n] to dst[offsets[k]:][:n] for every k, in order.
func scatterAdd(_ kernel.Variant, dst []float32, offsets []int32, src []float32, srcRow, n int) {
	scatterAddPortable(dst, offsets, src, srcRow, n)
}

func (d *dot) run(kernel.Variant) { d.runPortable() }
