package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// collect sums one vector of columns at a time; the lanes of each term are masked in.
func collect(s *simd.ISA) {
	TEXT("collect"+s.Name, NOSPLIT,
		"func(dst *float32, dstChannel int, src *float32, srcChannel, channels int, terms *int32, count, n, width int)")
	Doc("collect"+s.Name+" is collect for channels > 0.", "A term is two int32.")
	Pragma("noescape")
	dst, src, channels := param("dst"), param("src"), param("channels")
	terms, count, n := param("terms"), param("count"), param("n")
	width := Load(Param("width"), GP64()).(reg.GPVirtual)
	LEAQ(Mem{Base: terms, Index: count, Scale: 8}, terms)
	NEGQ(count)

	var lane reg.VecVirtual
	if !s.Wide {
		iota := GLOBL("lanes", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(i))
		}
		lane = YMM()
		VMOVDQU(iota, lane)
	}
	Label("channel")
	base := GP64()
	XORQ(base, base)
	Label("columns")
	acc := s.Vec()
	s.Zero(acc)
	k := GP64()
	MOVQ(count, k)
	TESTQ(k, k)
	JZ(LabelRef("store"))

	Label("term")
	// Lanes [low, high) of this vector have the term.
	at, low := GP64(), GP64()
	MOVLQSX(Mem{Base: terms, Index: k, Scale: 8}, at)
	MOVLQSX(Mem{Base: terms, Index: k, Scale: 8, Disp: 4}, low)
	ADDQ(base, at)
	SUBQ(base, low)
	x := s.Vec()
	from := Mem{Base: src, Index: at, Scale: 4}
	if s.Wide {
		high, zero, sixteen, outside := GP64(), GP64(), GP64(), GP64()
		LEAQ(Mem{Base: low, Index: width, Scale: 1}, high)
		XORQ(zero, zero)
		MOVQ(U32(16), sixteen)
		clamp := func(r reg.GPVirtual) {
			CMPQ(r, zero)
			CMOVQLT(zero, r)
			CMPQ(r, sixteen)
			CMOVQGT(sixteen, r)
		}
		clamp(low)
		clamp(high)
		MOVQ(I32(-1), outside)
		BZHIQ(high, outside, high)
		BZHIQ(low, outside, low)
		ANDNQ(high, low, high)
		mask := K()
		KMOVW(high.As32(), mask)
		VMOVUPS_Z(from, mask, x)
	} else {
		first, last, below := YMM(), YMM(), YMM()
		VMOVD(low.As32(), first.AsX())
		VPBROADCASTD(first.AsX(), first)
		ADDQ(width, low)
		VMOVD(low.As32(), last.AsX())
		VPBROADCASTD(last.AsX(), last)
		VPCMPGTD(lane, first, below) // lane < first
		VPCMPGTD(lane, last, last)   // lane < last
		VPANDN(last, below, last)
		VMASKMOVPS(from, last, x)
	}
	VADDPS(x, acc, acc)
	INCQ(k)
	JNZ(LabelRef("term"))

	Label("store")
	left := GP64()
	MOVQ(n, left)
	SUBQ(base, left)
	to := Mem{Base: dst, Index: base, Scale: 4}
	CMPQ(left, U8(s.Lanes))
	JLT(LabelRef("part"))
	s.Store(acc, to)
	ADDQ(U8(s.Lanes), base)
	CMPQ(base, n)
	JLT(LabelRef("columns"))
	JMP(LabelRef("next"))
	Label("part")
	mask := s.Mask(left)
	s.StoreMasked(acc, mask, to)
	Label("next")
	step := GP64()
	Load(Param("dstChannel"), step)
	LEAQ(Mem{Base: dst, Index: step, Scale: 4}, dst)
	Load(Param("srcChannel"), step)
	LEAQ(Mem{Base: src, Index: step, Scale: 4}, src)
	DECQ(channels)
	JNZ(LabelRef("channel"))
	VZEROUPPER()
	RET()
}
