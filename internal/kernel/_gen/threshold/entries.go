package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// ahead is how many entries in advance an element's cache line is prefetched. Elements are far apart, so every one
// waits for memory, and the processor's own look-ahead is too short.
const ahead = 16

// addEntries needs no vector instructions, so one function serves both instruction sets.
func addEntries() {
	TEXT("addEntries", NOSPLIT, "func(x *float32, n int, src *int32, entries int, t float32) (done int)")
	Doc("addEntries is Set.AddEntries, but stops at an entry that names no element of x; done is how many were added.")
	Pragma("noescape")
	x, n, src, entries := param("x"), param("n"), param("src"), param("entries")
	t := GP32()
	MOVL(address("t"), t)
	i, left := GP64(), GP64()
	XORQ(i, i)
	MOVQ(entries, left)
	SUBQ(U8(ahead), left) // entries that have a later one to prefetch

	// index returns the element of the entry, which may be anywhere.
	index := func(entry reg.GPVirtual) reg.GPVirtual {
		sign, at := GP64(), GP64()
		MOVQ(entry, sign)
		SARQ(U8(63), sign)
		MOVQ(entry, at)
		XORQ(sign, at)
		SUBQ(sign, at)
		DECQ(at)
		return at
	}
	add := func() {
		entry := GP64()
		MOVLQSX(Mem{Base: src, Index: i, Scale: 4}, entry)
		at := index(entry)
		CMPQ(at, n)
		JAE(LabelRef("done"))
		ANDL(U32(1<<31), entry.As32())
		XORL(t, entry.As32())
		v := XMM()
		VMOVD(entry.As32(), v)
		VADDSS(Mem{Base: x, Index: at, Scale: 4}, v, v)
		VMOVSS(v, Mem{Base: x, Index: at, Scale: 4})
		INCQ(i)
	}
	Label("loop")
	CMPQ(i, left)
	JGE(LabelRef("rest"))
	next := GP64()
	MOVLQSX(Mem{Base: src, Index: i, Scale: 4, Disp: 4 * ahead}, next)
	PREFETCHT0(Mem{Base: x, Index: index(next), Scale: 4})
	add()
	JMP(LabelRef("loop"))
	Label("rest")
	CMPQ(i, entries)
	JGE(LabelRef("done"))
	add()
	JMP(LabelRef("rest"))
	Label("done")
	Store(i, ReturnIndex(0))
	RET()
}

// unpackEntries compresses the numbers of sixteen elements to those that have entries, and turns the signs of some.
func unpackEntries(s *simd.ISA) {
	TEXT("unpackEntries"+s.Name, NOSPLIT,
		"func(dst *int32, places *byte, groups int, signs *byte, last int) (values, done int)")
	Doc(fmt.Sprintf("unpackEntries%s is Set.UnpackEntries for groups of 16 elements. It stops after more than last values.",
		s.Name), "After last values, there must be room for 16 more, and for 4 bytes of signs; done is the number of groups.")
	Pragma("noescape")
	dst, places, groups, signs, last := param("dst"), param("places"), param("groups"), param("signs"), param("last")
	values, i := GP64(), GP64()
	XORQ(values, values)
	XORQ(i, i)
	// numbers are those of the entries of the next group: 1 to 16 at first.
	numbers, step, zero := s.Vec(), s.Vec(), s.Vec()
	VPXORD(zero, zero, zero)
	VMOVDQU32(firstNumbers(), numbers)
	sixteen := GP32()
	MOVL(U32(16), sixteen)
	VPBROADCASTD(sixteen, step)
	Label("loop")
	CMPQ(i, groups)
	JGE(LabelRef("done"))
	CMPQ(values, last)
	JGT(LabelRef("done"))
	word, downs, at, n := GP32(), GP32(), GP64(), GP64()
	MOVWLZX(Mem{Base: places, Index: i, Scale: 2}, word)
	has, down := K(), K()
	KMOVW(word, has)
	MOVQ(values, at)
	SHRQ(U8(3), at)
	MOVL(values.As32(), n.As32())
	ANDL(U8(7), n.As32())
	SHRXL(n.As32(), Mem{Base: signs, Index: at, Scale: 1}, downs)
	KMOVW(downs, down)
	v := s.Vec()
	VPCOMPRESSD_Z(numbers, has, v)
	VPSUBD(v, zero, down, v)
	VMOVDQU32(v, Mem{Base: dst, Index: values, Scale: 4})
	POPCNTL(word, word)
	ADDQ(word.As64(), values)
	VPADDD(step, numbers, numbers)
	INCQ(i)
	JMP(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	Store(values, ReturnIndex(0))
	Store(i, ReturnIndex(1))
	RET()
}

// firstNumbers holds 1 to 16.
func firstNumbers() Mem {
	m := GLOBL("firstNumbers", RODATA|NOPTR)
	for i := range 16 {
		DATA(4*i, U32(i+1))
	}
	return m
}
