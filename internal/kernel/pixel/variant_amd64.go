//go:build amd64 && !noasm

package pixel

import (
	"unsafe"

	"github.com/dl4go/dl4go/internal/kernel"
)

//go:generate go run -C ../_gen ./pixel -out ../pixel/pixel_amd64.s -stubs ../pixel/pixel_amd64.go -pkg pixel

// Machines with AVX-512 use the kernels for AVX2.
var sets = [...]*Set{kernel.Portable: &portable, kernel.AVX2: &avx2, kernel.AVX512: &avx2}

var avx2 = Set{
	Variant: kernel.AVX2,
	Inverse: inverse,
	Fill:    fill,
	Blend:   blend,
	Widen:   widen,
	Colours: colours,
	Squeeze: squeeze,
	Mix:     mixColumns,
}

// These functions give the assembly kernels the signatures of Set. They pass the rest after the last whole group to
// the portable kernels.

func at[T any](v []T) *T { return unsafe.SliceData(v) }

func inverse(coefs, quant *[64]int16, dst []uint8, stride int) {
	_ = dst[7*stride : 7*stride+8]
	inverseAVX2(&coefs[0], &quant[0], at(dst), stride)
}

func blend(dst []uint16, near, far []uint8) {
	near, far = near[:len(dst)], far[:len(dst)]
	n := len(dst) / 16 * 16
	blendAVX2(at(dst), at(near), at(far), n/16)
	blendPortable(dst[n:], near[n:], far[n:])
}

func widen(dst []uint8, src []uint16, even, odd uint16) {
	mustMatch(len(dst) == 2*(len(src)-2))
	n := len(dst) / 32 * 16
	widenAVX2(at(dst), at(src), n/16, even, odd)
	widenPortable(dst[2*n:], src[n:], even, odd)
}

func colours(dst, y, cb, cr []uint8) {
	all := len(dst) / 3
	y, cb, cr = y[:all], cb[:all], cr[:all]
	n := all / 16 * 16
	coloursAVX2(at(dst), at(y), at(cb), at(cr), n/16)
	coloursPortable(dst[3*n:], y[n:], cb[n:], cr[n:])
}

// squeeze leaves the last pixels to the portable kernel, because the assembly reads two bytes too many and writes one.
func squeeze(dst, row []uint8, taps *Taps) {
	pairs, n := (taps.Count+1)/2, len(taps.First)
	mustMatch(len(dst) >= 3*n && len(taps.Weights) == n*taps.Count)
	whole := n - 1
	for whole > 0 && 3*(int(taps.First[whole-1])+2*pairs)+2 > len(row) {
		whole--
	}
	if whole <= 0 || taps.First[0] < 0 {
		squeezePortable(dst, row, taps)
		return
	}
	squeezeAVX2(at(dst), at(row), at(taps.First), at(taps.Weights), whole, taps.Count)
	rest := taps.Slice(whole, n)
	squeezePortable(dst[3*whole:], row, &rest)
}

func mixColumns(dst, src []uint8, stride int, weights []int32) {
	if len(weights) == 0 {
		mixPortable(dst, src, stride, weights)
		return
	}
	_ = src[(len(weights)-1)*stride:][:len(dst)]
	n := len(dst) / 32 * 32
	mixAVX2(at(dst), at(src), stride, at(weights), len(weights), n/32)
	mix(dst, src, stride, weights, n)
}
