//go:build amd64 && !noasm

package gemm

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

// run multiplies the tiles.
func (t *amxTiles) run(v kernel.Variant) {
	if v != kernel.AVX512 {
		t.runPortable()
		return
	}
	rows, cols := t.config.rows(), t.config.cols()
	if t.k > 0 {
		_ = t.a[((t.rows-1)*unitTiles+(rows-1)/tileN)*t.aStep+t.k*tileSize-1]
		_ = t.b[((t.cols-1)*unitTiles+(cols-1)/tileN)*t.bStep+t.k*tileSize-1]
	}
	_ = t.c[((t.rows-1)*unit+rows-1)*t.cRow+(t.cols-1)*unit+cols-1]
	shape := 0
	if rows > tileN {
		shape |= 1
	}
	if cols > tileN {
		shape |= 2
	}
	if t.first {
		shape |= 4
	}
	multiplyAMX(&t.config[0], unsafe.SliceData(t.a), 4*t.aStep, unsafe.SliceData(t.b), 4*t.bStep, &t.c[0], 4*t.cRow, t.k,
		t.rows, t.cols, shape)
}

// packTiles packs n tiles of a side.
func packTiles(v kernel.Variant, s *side, dst []float32, dstStep int, src []float32, srcStep, ld, n int) {
	if n == 0 {
		return
	}
	height, width := tileN, tileK
	if !s.along {
		height, width = tileK, tileN
	}
	_, _ = dst[(n-1)*dstStep+tileSize-1], src[(n-1)*srcStep+(height-1)*ld+width-1]
	switch {
	case v != kernel.AVX512:
		packTilesPortable(s, dst, dstStep, src, srcStep, ld, n)
	case s.along && s.transposed:
		packAlongTransposedAMX(&dst[0], dstStep, &src[0], srcStep, ld, n)
	case s.along:
		packAlongAMX(&dst[0], dstStep, &src[0], srcStep, ld, n)
	case s.transposed:
		packAcrossTransposedAMX(&dst[0], dstStep, &src[0], srcStep, ld, n)
	default:
		packAcrossAMX(&dst[0], dstStep, &src[0], ld, n)
	}
}
