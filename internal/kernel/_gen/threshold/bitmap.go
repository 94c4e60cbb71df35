package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// wordSize is the number of elements of a bitmap's word, and wordBytes the bytes that these elements take.
const wordSize, wordBytes = 16, 64

// encodeBitmap writes a bitmap's words and subtracts the encoded values.
func encodeBitmap(s *simd.ISA) {
	TEXT("encodeBitmap"+s.Name, NOSPLIT, "func(dst *uint32, x *float32, words int, t, half float32) int")
	Doc("encodeBitmap" + s.Name + " is Set.EncodeBitmap for whole words; half is t/2.")
	Pragma("noescape")
	dst, x, words := param("dst"), param("x"), param("words")
	t, half, magnitude, sign := broadcast(s, "t"), broadcast(s, "half"), magnitudes(s), signs(s)
	low := or(s, half, sign) // -t/2
	total := GP64()
	XORQ(total, total)
	Label("loop")
	TESTQ(words, words)
	JZ(LabelRef("done"))
	parts := wordSize / s.Lanes
	v, whole, down := make([]reg.VecVirtual, parts), make([]simd.Mask, parts), make([]simd.Mask, parts)
	for j := range v {
		v[j] = s.Vec()
		s.Load(Mem{Base: x, Disp: s.Bytes() * j}, v[j])
		whole[j] = compare(s, greaterEqual, and(s, magnitude, v[j]), t)
		down[j] = compare(s, lessEqual, v[j], low)
	}
	upper, word := moveMask(s, down), moveMask(s, whole)
	any := GP32()
	MOVL(upper, any)
	ORL(word, any)
	SHLL(U8(16), upper)
	ORL(upper, word)
	MOVL(word, Mem{Base: dst})
	TESTL(any, any)
	JZ(LabelRef("next"))
	POPCNTL(any, any)
	ADDQ(any.As64(), total)
	for j := range v {
		// x - (±t where x reaches t, -t/2 elsewhere), if there is one.
		d := choose(s, whole[j], t, half)
		d = or(s, d, and(s, sign, v[j]))
		VSUBPS(d, v[j], d)
		store(s, either(s, whole[j], down[j]), d, v[j], Mem{Base: x, Disp: s.Bytes() * j})
	}
	Label("next")
	ADDQ(U8(4), dst)
	ADDQ(U8(wordBytes), x)
	DECQ(words)
	JMP(LabelRef("loop"))
	Label("done")
	Store(total, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// encodeScaled writes the words of the elements that reach t, and moves those towards 0 by step. It takes several words at a
// time, and writes the elements of all of them or of none. A test for each word would cost more than it saves: where a
// tenth of the elements moves, a fifth of the words is empty, and the processor guesses wrongly which.
func encodeScaled(s *simd.ISA) {
	TEXT("encodeScaled"+s.Name, NOSPLIT,
		"func(dst *uint32, x *float32, words int, t, step float32) (values int, largest float32)")
	Doc("encodeScaled" + s.Name + " is Set.EncodeScaled for whole words.")
	Pragma("noescape")
	dst, x, words := param("dst"), param("x"), param("words")
	t, step, sign := broadcast(s, "t"), broadcast(s, "step"), signs(s)
	low, magnitude, largest := or(s, t, sign), magnitudes(s), s.Vec()
	s.Zero(largest)
	total, any := GP64(), GP32()
	XORQ(total, total)
	group := func(n int, label, rest string) {
		Label(label)
		CMPQ(words, U8(n))
		JLT(LabelRef(rest))
		XORL(any, any)
		var moved []reg.VecVirtual
		for i := range n {
			v, word := mark(s, Mem{Base: x, Disp: wordBytes * i}, t, low, step, magnitude, largest)
			MOVL(word, Mem{Base: dst, Disp: 4 * i})
			MOVWLZX(word.As16(), word)
			ORL(word, any)
			POPCNTL(word, word)
			ADDQ(word.As64(), total)
			moved = append(moved, v...)
		}
		TESTL(any, any)
		JZ(LabelRef(label + "next"))
		for j, v := range moved {
			s.Store(v, Mem{Base: x, Disp: s.Bytes() * j})
		}
		Label(label + "next")
		ADDQ(U8(4*n), dst)
		ADDQ(U32(uint32(wordBytes*n)), x)
		SUBQ(U8(n), words)
		JMP(LabelRef(label))
	}
	group(s.Lanes/4, "groups", "loop")
	group(1, "loop", "done")
	Label("done")
	Store(total, ReturnIndex(0))
	Store(largestOf(s, largest), ReturnIndex(1))
	VZEROUPPER()
	RET()
}

// mark returns the word of 16 elements, and these elements after the move by step. low is -t. largest keeps the largest
// magnitudes before the move, as addTimes does.
func mark(s *simd.ISA, at Mem, t, low, step, magnitude, largest reg.VecVirtual) (moved []reg.VecVirtual, word reg.GPVirtual) {
	var up, down []simd.Mask
	for j := range wordSize / s.Lanes {
		v := s.Vec()
		s.Load(at.Offset(s.Bytes()*j), v)
		VPMAXUD(and(s, magnitude, v), largest, largest)
		up, down = append(up, compare(s, greaterEqual, v, t)), append(down, compare(s, lessEqual, v, low))
		if s.Wide {
			VSUBPS(step, v, up[j].K, v)
			VADDPS(step, v, down[j].K, v)
		} else {
			d := s.Vec()
			VSUBPS(step, v, d)
			less := choose(s, up[j], d, v)
			VADDPS(step, v, d)
			v = choose(s, down[j], d, less)
		}
		moved = append(moved, v)
	}
	if s.Wide {
		word = GP32()
		KORW(up[0].K, down[0].K, up[0].K)
		KUNPCKWD(up[0].K, down[0].K, up[0].K)
		KMOVD(up[0].K, word)
		return moved, word
	}
	word, upper := moveMask(s, up), moveMask(s, down)
	ORL(upper, word)
	SHLL(U8(16), upper)
	ORL(upper, word)
	return moved, word
}

// addBitmap adds the values encoded in the words. It skips empty groups of four words. It does not look at single words: where a
// tenth of the elements has a value, a fifth of the words is empty, and the processor guesses wrongly which.
func addBitmap(s *simd.ISA) {
	bits := bitTable(s)
	TEXT("addBitmap"+s.Name, NOSPLIT, "func(x *float32, src *uint32, words int, t, half float32)")
	Doc("addBitmap" + s.Name + " is Set.AddBitmap for whole words; half is t/2.")
	Pragma("noescape")
	x, src, words := param("x"), param("src"), param("words")
	t, half, sign := broadcast(s, "t"), broadcast(s, "half"), signs(s)
	add := func(i int) {
		for j := range wordSize / s.Lanes {
			whole, down := masks(s, Mem{Base: src, Disp: 4 * i}, bits, j)
			v, d := s.Vec(), choose(s, whole, t, half)
			at := Mem{Base: x, Disp: wordBytes*i + s.Bytes()*j}
			s.Load(at, v)
			any := either(s, whole, down)
			if s.Wide {
				VPXORD(sign, d, down.K, d)
				VADDPS(d, v, any.K, v)
				s.Store(v, at)
				continue
			}
			VPXOR(and(s, down.V, sign), d, d)
			VADDPS(d, v, d)
			store(s, any, d, v, at)
		}
	}
	const group = 4
	all := GP64()
	Label("groups")
	CMPQ(words, U8(group))
	JLT(LabelRef("loop"))
	MOVQ(Mem{Base: src}, all)
	ORQ(Mem{Base: src, Disp: 8}, all)
	JZ(LabelRef("nextgroup"))
	for i := range group {
		add(i)
	}
	Label("nextgroup")
	ADDQ(U8(4*group), src)
	ADDQ(U32(wordBytes*group), x)
	SUBQ(U8(group), words)
	JMP(LabelRef("groups"))
	Label("loop")
	TESTQ(words, words)
	JZ(LabelRef("done"))
	CMPL(Mem{Base: src}, U8(0))
	JE(LabelRef("next"))
	add(0)
	Label("next")
	ADDQ(U8(4), src)
	ADDQ(U8(wordBytes), x)
	DECQ(words)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}

// compare returns the mask of x ∘ y.
func compare(s *simd.ISA, predicate uint8, x, y reg.VecVirtual) simd.Mask {
	if s.Wide {
		k := K()
		VCMPPS(U8(predicate), y, x, k)
		return simd.Mask{K: k}
	}
	v := s.Vec()
	VCMPPS(U8(predicate), y, x, v)
	return simd.Mask{V: v}
}

// moveMask returns the bits of the parts' masks, 16 in total.
func moveMask(s *simd.ISA, m []simd.Mask) reg.GPVirtual {
	bits := GP32()
	if s.Wide {
		KMOVW(m[0].K, bits)
		return bits
	}
	upper := GP32()
	VMOVMSKPS(m[0].V, bits)
	VMOVMSKPS(m[1].V, upper)
	SHLL(U8(8), upper)
	ORL(upper, bits)
	return bits
}

// masks returns the masks for part j of a bitmap's word: of the lower and of the upper half.
func masks(s *simd.ISA, word, table Mem, j int) (whole, down simd.Mask) {
	if s.Wide {
		whole, down := K(), K()
		KMOVW(word, whole)
		KMOVW(word.Offset(2), down)
		return simd.Mask{K: whole}, simd.Mask{K: down}
	}
	all := YMM()
	VPBROADCASTD(word, all)
	mask := func(half int) simd.Mask {
		bits, v := YMM(), YMM()
		VMOVDQU(table.Offset(64*half+32*j), bits)
		VPAND(bits, all, v)
		VPCMPEQD(bits, v, v)
		return simd.Mask{V: v}
	}
	return mask(0), mask(1)
}

// bitTable defines, for AVX2, a table with each bit of a word in its own lane.
func bitTable(s *simd.ISA) Mem {
	if s.Wide {
		return Mem{}
	}
	m := GLOBL("bits", RODATA|NOPTR)
	for i := range 32 {
		DATA(4*i, U32(1<<i))
	}
	return m
}

// choose returns yes where the mask is set, no elsewhere.
func choose(s *simd.ISA, m simd.Mask, yes, no reg.VecVirtual) reg.VecVirtual {
	v := s.Vec()
	if s.Wide {
		VBLENDMPS(yes, no, m.K, v)
	} else {
		VBLENDVPS(m.V, yes, no, v)
	}
	return v
}

func either(s *simd.ISA, a, b simd.Mask) simd.Mask {
	if !s.Wide {
		return simd.Mask{V: or(s, a.V, b.V)}
	}
	k := K()
	KORW(a.K, b.K, k)
	return simd.Mask{K: k}
}

// store writes new where the mask is set; old is the memory's content elsewhere.
func store(s *simd.ISA, m simd.Mask, new, old reg.VecVirtual, at Mem) {
	if s.Wide {
		VMOVUPS(new, m.K, at)
		return
	}
	v := s.Vec()
	VBLENDVPS(m.V, new, old, v)
	s.Store(v, at)
}
