package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// collect sums one vector of columns at a time; the lanes of each term are masked in. It sums four channels with each mask
// while there are as many.
func collect(s *simd.ISA) {
	TEXT("collect"+s.Name, NOSPLIT,
		"func(dst *float32, dstChannel int, src *float32, srcChannel, channels int, terms *int32, count, n, width int)")
	Doc("collect"+s.Name+" is collect for channels > 0.", "A term is two int32.")
	Pragma("noescape")
	c := collector{ISA: s, dst: param("dst"), src: param("src"), left: param("channels"), terms: param("terms"),
		count: param("count"), n: param("n")}
	c.width = Load(Param("width"), GP64()).(reg.GPVirtual)
	LEAQ(Mem{Base: c.terms, Index: c.count, Scale: 8}, c.terms)
	NEGQ(c.count)
	if !s.Wide {
		iota := GLOBL("lanes", RODATA|NOPTR)
		for i := range 8 {
			DATA(4*i, U32(i))
		}
		c.lane = YMM()
		VMOVDQU(iota, c.lane)
	}
	c.channels(4)
	TESTQ(c.left, c.left)
	JZ(LabelRef("done"))
	c.channels(1)
	Label("done")
	VZEROUPPER()
	RET()
}

// collector holds the operands of collect.
type collector struct {
	*simd.ISA
	dst, src, left, terms, count, n, width reg.GPVirtual
	lane                                   reg.VecVirtual
}

// channels sums so many channels at a time while they are left.
func (s *collector) channels(together int) {
	label := func(name string) string {
		if together > 1 {
			return name + "s"
		}
		return name
	}
	Label(label("channel"))
	if together > 1 {
		CMPQ(s.left, U8(together))
		JLT(LabelRef(label("end")))
	}
	base := GP64()
	XORQ(base, base)
	Label(label("columns"))
	acc := make([]reg.VecVirtual, together)
	for i := range acc {
		acc[i] = s.Vec()
		s.Zero(acc[i])
	}
	k := GP64()
	MOVQ(s.count, k)
	TESTQ(k, k)
	JZ(LabelRef(label("store")))

	Label(label("term"))
	// Lanes [low, high) of this vector have the term.
	at, low := GP64(), GP64()
	MOVLQSX(Mem{Base: s.terms, Index: k, Scale: 8}, at)
	MOVLQSX(Mem{Base: s.terms, Index: k, Scale: 8, Disp: 4}, low)
	ADDQ(base, at)
	SUBQ(base, low)
	var opmask reg.Register
	var lanes reg.VecVirtual
	if s.Wide {
		opmask = s.opmask(low)
	} else {
		lanes = s.mask(low)
	}
	if together > 1 {
		LEAQ(Mem{Base: s.src, Index: at, Scale: 4}, at)
	}
	for i := range acc {
		x, m := s.Vec(), Mem{Base: s.src, Index: at, Scale: 4}
		if together > 1 {
			m = Mem{Base: at}
		}
		if s.Wide {
			VMOVUPS_Z(m, opmask, x)
		} else {
			VMASKMOVPS(m, lanes, x)
		}
		VADDPS(x, acc[i], acc[i])
		if i < together-1 {
			step := GP64()
			Load(Param("srcChannel"), step)
			LEAQ(Mem{Base: at, Index: step, Scale: 4}, at)
		}
	}
	INCQ(k)
	JNZ(LabelRef(label("term")))

	Label(label("store"))
	left := GP64()
	MOVQ(s.n, left)
	SUBQ(base, left)
	to := GP64()
	if together > 1 {
		LEAQ(Mem{Base: s.dst, Index: base, Scale: 4}, to)
	}
	store := func(put func(v reg.VecVirtual, m Mem)) {
		if together == 1 {
			put(acc[0], Mem{Base: s.dst, Index: base, Scale: 4})
			return
		}
		for _, v := range acc {
			put(v, Mem{Base: to})
			step := GP64()
			Load(Param("dstChannel"), step)
			LEAQ(Mem{Base: to, Index: step, Scale: 4}, to)
		}
	}
	CMPQ(left, U8(s.Lanes))
	JLT(LabelRef(label("part")))
	store(s.Store)
	ADDQ(U8(s.Lanes), base)
	CMPQ(base, s.n)
	JLT(LabelRef(label("columns")))
	JMP(LabelRef(label("next")))
	Label(label("part"))
	mask := s.Mask(left)
	store(func(v reg.VecVirtual, m Mem) { s.StoreMasked(v, mask, m) })
	Label(label("next"))
	step := GP64()
	advance := func(name string, p reg.GPVirtual) {
		Load(Param(name), step)
		for range together {
			LEAQ(Mem{Base: p, Index: step, Scale: 4}, p)
		}
	}
	advance("dstChannel", s.dst)
	advance("srcChannel", s.src)
	if together > 1 {
		SUBQ(U8(together), s.left)
		JMP(LabelRef(label("channel")))
		Label(label("end"))
	} else {
		DECQ(s.left)
		JNZ(LabelRef(label("channel")))
	}
}

// opmask returns the mask of lanes [low, low+width).
func (s *collector) opmask(low reg.GPVirtual) reg.Register {
	high, zero, sixteen, outside := GP64(), GP64(), GP64(), GP64()
	LEAQ(Mem{Base: low, Index: s.width, Scale: 1}, high)
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
	return mask
}

// mask is opmask for AVX2.
func (s *collector) mask(low reg.GPVirtual) reg.VecVirtual {
	first, last, below := YMM(), YMM(), YMM()
	VMOVD(low.As32(), first.AsX())
	VPBROADCASTD(first.AsX(), first)
	ADDQ(s.width, low)
	VMOVD(low.As32(), last.AsX())
	VPBROADCASTD(last.AsX(), last)
	VPCMPGTD(s.lane, first, below) // lane < first
	VPCMPGTD(s.lane, last, last)   // lane < last
	VPANDN(last, below, last)
	return last
}
