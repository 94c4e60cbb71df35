package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
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
