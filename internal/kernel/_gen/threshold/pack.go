package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Packing and unpacking hold four words of a bitmap in general registers, their lower halves in one and their upper
// halves in another. They need no wider vectors, so one function serves both instruction sets.

// stream is a stream of bits that is written to memory or read from it, 64 at a time.
type stream struct {
	name  string
	start Mem           // where it begins: the parameter
	at    reg.GPVirtual // its next place
	acc   reg.GPVirtual // bits that are not written yet, or that were read ahead
	n     reg.GPVirtual // number of bits in acc, fewer than 64
	end   Mem           // the end of its memory, less back bytes
}

func newStream(name string, back int) *stream {
	s := &stream{name: name, start: address(name), at: param(name), acc: GP64(), n: GP64(), end: AllocLocal(8)}
	XORQ(s.acc, s.acc)
	end := param(name + "Room")
	LEAQ(Mem{Base: end, Index: s.at, Scale: 1, Disp: -back}, end)
	MOVQ(end, s.end)
	XORQ(s.n, s.n)
	return s
}

func (s *stream) label(what string) string { return s.name + what }

// halves loads four words and returns their lower and upper halves.
func halves(src Mem, order Mem) (lower, upper reg.GPVirtual) {
	v := XMM()
	lower, upper = GP64(), GP64()
	VMOVDQU(src, v)
	VPSHUFB(order, v, v)
	VMOVQ(v, lower)
	VPEXTRQ(U8(1), v, upper)
	return lower, upper
}

// halvesOrder defines the byte order that separates the halves of four words.
func halvesOrder() Mem {
	m := GLOBL("halves", RODATA|NOPTR)
	for i := range 16 {
		DATA(i, U8(i/8*2+i%8/2*4+i%2))
	}
	return m
}

// packBitmap writes the places, the signs and the wholes of words.
func packBitmap(order Mem) {
	TEXT("packBitmap", NOSPLIT, "func(places, signs *byte, signsRoom int, wholes *byte, wholesRoom int, src *uint32, groups int) "+
		"(left, values, downs int, signsRest, wholesRest uint64)")
	Doc("packBitmap is Set.PackBitmap for groups of four words, but the last bits of both streams, fewer than 64, are in the rests.",
		"It stops where a stream has no room: left is then above 0.")
	Pragma("noescape")
	signs, wholes := newStream("signs", 8), newStream("wholes", 8)
	places, src, groups := param("places"), param("src"), param("groups")
	Label("loop")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	lower, upper := halves(Mem{Base: src}, order)
	all, bits, n := GP64(), GP64(), GP64()
	MOVQ(lower, all)
	ORQ(upper, all)
	MOVQ(all, Mem{Base: places})
	PEXTQ(all, upper, bits)
	POPCNTQ(all, n)
	signs.put(bits, n)
	PEXTQ(upper, lower, bits)
	POPCNTQ(upper, n)
	wholes.put(bits, n)
	ADDQ(U8(8), places)
	ADDQ(U8(16), src)
	DECQ(groups)
	JMP(LabelRef("loop"))
	Label("done")
	Store(groups, ReturnIndex(0))
	for i, s := range []*stream{signs, wholes} {
		SUBQ(s.start, s.at)
		SHLQ(U8(3), s.at)
		ADDQ(s.n, s.at)
		Store(s.at, ReturnIndex(1+i))
		Store(s.acc, ReturnIndex(3+i))
	}
	RET()
}

// put writes the n lowest bits; the bits above them must be 0. It changes both operands.
func (s *stream) put(bits, n reg.GPVirtual) {
	part := GP64()
	SHLXQ(s.n, bits, part)
	ORQ(part, s.acc)
	ADDQ(n, s.n)
	CMPQ(s.n, U8(64))
	JB(LabelRef(s.label("Put")))
	CMPQ(s.at, s.end)
	JGT(LabelRef("done"))
	MOVQ(s.acc, Mem{Base: s.at})
	ADDQ(U8(8), s.at)
	SUBQ(U8(64), s.n)
	SUBQ(s.n, n) // 1 to 64 bits were written
	DECQ(n)
	SHRQ(U8(1), bits)
	SHRXQ(n, bits, s.acc)
	Label(s.label("Put"))
}

// unpackBitmap makes words from places, signs and wholes.
func unpackBitmap() {
	TEXT("unpackBitmap", NOSPLIT, "func(dst *uint32, groups int, places, signs *byte, signsRoom int, wholes *byte, wholesRoom int) "+
		"(values, downs int)")
	Doc("unpackBitmap is Set.UnpackBitmap for groups of four words.")
	Pragma("noescape")
	signs, wholes := newStream("signs", 0), newStream("wholes", 0)
	places, dst, groups := param("places"), param("dst"), param("groups")
	Label("loop")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	lower, upper, whole, n := GP64(), GP64(), GP64(), GP64()
	MOVQ(Mem{Base: places}, lower)
	POPCNTQ(lower, n)
	signs.take(n, upper)
	PDEPQ(lower, upper, upper)
	POPCNTQ(upper, n)
	wholes.take(n, whole)
	PDEPQ(upper, whole, whole)
	XORQ(upper, lower)
	XORQ(whole, lower)
	v, w := XMM(), XMM()
	VMOVQ(lower, v)
	VMOVQ(upper, w)
	VPUNPCKLWD(w, v, v)
	VMOVDQU(v, Mem{Base: dst})
	ADDQ(U8(8), places)
	ADDQ(U8(16), dst)
	DECQ(groups)
	JMP(LabelRef("loop"))
	signs.refill(n, upper)
	wholes.refill(n, whole)
	Label("done")
	for i, s := range []*stream{signs, wholes} {
		SUBQ(s.start, s.at)
		SHLQ(U8(3), s.at)
		SUBQ(s.n, s.at)
		Store(s.at, ReturnIndex(i))
	}
	RET()
}

// take reads n bits. The bits above them are arbitrary.
func (s *stream) take(n, bits reg.GPVirtual) {
	MOVQ(s.acc, bits)
	CMPQ(s.n, n)
	JB(LabelRef(s.label("Refill")))
	SHRXQ(n, s.acc, s.acc)
	SUBQ(n, s.n)
	Label(s.label("Taken"))
}

// refill is the part of take that reads memory: 64 bits, with zeros beyond the end.
func (s *stream) refill(n, bits reg.GPVirtual) {
	next, at := GP64(), GP64()
	Label(s.label("Refill"))
	LEAQ(Mem{Base: s.at, Disp: 8}, at)
	CMPQ(at, s.end)
	JGT(LabelRef(s.label("Last")))
	MOVQ(Mem{Base: s.at}, next)
	Label(s.label("Have"))
	ADDQ(U8(8), s.at)
	part := GP64()
	SHLXQ(s.n, next, part)
	ORQ(part, bits)
	SUBQ(s.n, n) // 1 to 64 of the next bits are taken
	MOVQ(U32(64), s.n)
	SUBQ(n, s.n)
	DECQ(n)
	SHRQ(U8(1), next)
	SHRXQ(n, next, s.acc)
	JMP(LabelRef(s.label("Taken")))

	Label(s.label("Last"))
	XORQ(next, next)
	MOVQ(s.end, at)
	Label(s.label("Byte"))
	CMPQ(at, s.at)
	JLE(LabelRef(s.label("Have")))
	SHLQ(U8(8), next)
	MOVB(Mem{Base: at, Disp: -1}, next.As8())
	DECQ(at)
	JMP(LabelRef(s.label("Byte")))
}

// countBitmap counts the values of words.
func countBitmap(order Mem) {
	TEXT("countBitmap", NOSPLIT, "func(src *uint32, groups int) int")
	Doc("countBitmap is Set.CountBitmap for groups of four words.")
	Pragma("noescape")
	src, groups := param("src"), param("groups")
	total := GP64()
	XORQ(total, total)
	Label("loop")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	lower, upper := halves(Mem{Base: src}, order)
	ORQ(lower, upper)
	POPCNTQ(upper, upper)
	ADDQ(upper, total)
	ADDQ(U8(16), src)
	DECQ(groups)
	JMP(LabelRef("loop"))
	Label("done")
	Store(total, ReturnIndex(0))
	RET()
}

// countMarks counts the lower bits of words, and keeps the upper bits that have no lower one.
func countMarks(order Mem) {
	TEXT("countMarks", NOSPLIT, "func(src *uint32, groups int) (values int, alone uint64)")
	Doc("countMarks is Set.CountMarks for groups of four words. alone has the signs without values.")
	Pragma("noescape")
	src, groups := param("src"), param("groups")
	total, alone := GP64(), GP64()
	XORQ(total, total)
	XORQ(alone, alone)
	Label("loop")
	TESTQ(groups, groups)
	JZ(LabelRef("done"))
	lower, upper := halves(Mem{Base: src}, order)
	ANDNQ(upper, lower, upper)
	ORQ(upper, alone)
	POPCNTQ(lower, lower)
	ADDQ(lower, total)
	ADDQ(U8(16), src)
	DECQ(groups)
	JMP(LabelRef("loop"))
	Label("done")
	Store(total, ReturnIndex(0))
	Store(alone, ReturnIndex(1))
	RET()
}
