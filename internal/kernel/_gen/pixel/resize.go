package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const precision = 22

// squeeze adds two pixels at a time: it reads eight bytes and ignores the last two.
func squeeze() {
	spread, upper := doublewords("spread", 0, 0, 0, 1, 1, 1, 1, 1), doublewords("upper", 3, 4, 5, 5, 5, 5, 5, 5)
	round, keep := doublewords("roundWeights", 1<<(precision-1)), doublewords("keep", -1, -1, -1, 0, 0, 0, 0, 0)
	TEXT("squeezeAVX2", NOSPLIT, "func(dst, row *uint8, first, weights *int32, n, count int)")
	Doc("squeezeAVX2 is Set.Squeeze for n pixels of count weights each. It reads eight bytes for each two weights, or for",
		"the last one where count is odd, and writes four bytes for each pixel.")
	Pragma("noescape")
	dst, row, first, weights := param("dst"), param("row"), param("first"), param("weights")
	n, count := param("n"), param("count")
	lanes, three, half := YMM(), YMM(), YMM()
	VMOVDQU(spread, lanes)
	VMOVDQU(upper, three)
	VMOVDQU(round, half)
	repeat(n, func() {
		at, left := GP64(), GP64()
		MOVLQSX(Mem{Base: first}, at)
		LEAQ(Mem{Base: at, Index: at, Scale: 2}, at)
		ADDQ(row, at)
		MOVQ(count, left)
		sum, v, w := YMM(), YMM(), YMM()
		VPXOR(sum, sum, sum)
		SUBQ(U8(2), left)
		JL(LabelRef("last"))
		Label("pairs")
		VPBROADCASTQ(Mem{Base: weights}, w)
		VPERMD(w, lanes, w)
		VPMOVZXBD(Mem{Base: at}, v)
		VPMULLD(w, v, v)
		VPADDD(v, sum, sum)
		ADDQ(U8(8), weights)
		ADDQ(U8(6), at)
		SUBQ(U8(2), left)
		JGE(LabelRef("pairs"))
		Label("last")
		CMPQ(left, I8(-1))
		JNE(LabelRef("added"))
		VPBROADCASTD(Mem{Base: weights}, w)
		VPMOVZXBD(Mem{Base: at}, v)
		VPMULLD(w, v, v)
		VPAND(keep, v, v)
		VPADDD(v, sum, sum)
		ADDQ(U8(4), weights)
		Label("added")
		VPERMD(sum, three, v)
		VPADDD(v, sum, sum)
		VPADDD(half, sum, sum)
		VPSRAD(U8(precision), sum, sum)
		VPACKSSDW(sum.AsX(), sum.AsX(), sum.AsX())
		VPACKUSWB(sum.AsX(), sum.AsX(), sum.AsX())
		VMOVD(sum.AsX(), Mem{Base: dst})
		ADDQ(U8(3), dst)
		ADDQ(U8(4), first)
	})
}

// mix adds rows, 32 columns at a time.
func mix() {
	round := doublewords("roundRows", 1<<(precision-1))
	order := doublewords("rowOrder", 0, 4, 1, 5, 2, 6, 3, 7)
	TEXT("mixAVX2", NOSPLIT, "func(dst, src *uint8, stride int, weights *int32, count, groups int)")
	Doc("mixAVX2 is Set.Mix for groups of 32 columns.")
	Pragma("noescape")
	dst, src, stride := param("dst"), param("src"), param("stride")
	weights, count, n := param("weights"), param("count"), param("groups")
	lanes := YMM()
	VMOVDQU(order, lanes)
	repeat(n, func() {
		var sums [4]reg.VecVirtual
		for i := range sums {
			sums[i] = YMM()
			VMOVDQU(round, sums[i])
		}
		at, k := GP64(), GP64()
		MOVQ(src, at)
		XORQ(k, k)
		Label("rows")
		w, v := YMM(), YMM()
		VPBROADCASTD(Mem{Base: weights, Index: k, Scale: 4}, w)
		for i, sum := range sums {
			VPMOVZXBD(Mem{Base: at, Disp: 8 * i}, v)
			VPMULLD(w, v, v)
			VPADDD(v, sum, sum)
		}
		ADDQ(stride, at)
		INCQ(k)
		CMPQ(k, count)
		JB(LabelRef("rows"))
		for _, sum := range sums {
			VPSRAD(U8(precision), sum, sum)
		}
		VPACKSSDW(sums[1], sums[0], sums[0])
		VPACKSSDW(sums[3], sums[2], sums[2])
		VPACKUSWB(sums[2], sums[0], sums[0])
		VPERMD(sums[0], lanes, sums[0])
		VMOVDQU(sums[0], Mem{Base: dst})
		ADDQ(U8(32), src)
		ADDQ(U8(32), dst)
	})
}
