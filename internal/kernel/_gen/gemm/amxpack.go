package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// roundAMX rounds two vectors to one of bfloat16, low below. Go's assembler has no VCVTNE2PS2BF16, so the code first
// has an instruction with the same operands that no kernel of this command needs: see encodePairs.
func roundAMX(low, high, dst Op) { VPACKSSDW(low, high, dst) }

// packAMX writes the four ways to pack tiles.
func packAMX() {
	order := GLOBL("amxOrder", RODATA|NOPTR) // of the words of two rows in pairs
	for i := range 16 {
		DATA(4*i, U32(uint32(16+i)<<16|uint32(i)))
	}
	packTiles("Along", "neighbours in a row", order, false, false)
	packTiles("AlongTransposed", "neighbours in a row", order, false, true)
	packRows(order)
	packTiles("AcrossTransposed", "of two rows", order, true, true)
}

// packRows packs tiles that are neighbours in rows, two rows of all of them at a time.
func packRows(order Mem) {
	TEXT("packAcrossAMX", NOSPLIT, "func(dst *float32, dstStep int, src *float32, ld, n int)")
	Doc("packAcrossAMX writes n tiles of pairs of two rows. src has them side by side.")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, dstStep, src, ld, n := param("dst"), param("dstStep"), param("src"), param("ld"), param("n")
	SHLQ(U8(2), dstStep)
	SHLQ(U8(2), ld)
	index, rows := ZMM(), GP64()
	VMOVDQU32(order, index)
	MOVQ(U32(16), rows)
	Label("rows")
	low, high, to, left := GP64(), GP64(), GP64(), GP64()
	MOVQ(src, low)
	LEAQ(Mem{Base: src, Index: ld, Scale: 1}, high)
	LEAQ(Mem{Base: src, Index: ld, Scale: 2}, src)
	MOVQ(dst, to)
	ADDQ(I8(64), dst)
	MOVQ(n, left)
	Label("tile")
	x, y, pair := ZMM(), ZMM(), ZMM()
	VMOVUPS(Mem{Base: low}, x)
	VMOVUPS(Mem{Base: high}, y)
	ADDQ(I8(64), low)
	ADDQ(I8(64), high)
	roundAMX(x, y, pair)
	VPERMW(pair, index, pair)
	VMOVUPS(pair, Mem{Base: to})
	ADDQ(dstStep, to)
	DECQ(left)
	JNZ(LabelRef("tile"))
	DECQ(rows)
	JNZ(LabelRef("rows"))
	VZEROUPPER()
	RET()
}

// packTiles packs tiles of 16 vectors of pairs. Pairs are neighbours in 16 rows of src, or across 32 rows.
func packTiles(name, what string, order Mem, across, transposed bool) {
	TEXT("pack"+name+"AMX", NOSPLIT, "func(dst *float32, dstStep int, src *float32, srcStep, ld, n int)")
	text := "pack" + name + "AMX writes n tiles of pairs, " + what
	if transposed {
		text += ", transposed"
	}
	Doc(text + ".")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, dstStep, src, srcStep := param("dst"), param("dstStep"), param("src"), param("srcStep")
	ld, n := param("ld"), param("n")
	for _, r := range []reg.GPVirtual{dstStep, srcStep, ld} {
		SHLQ(U8(2), r)
	}
	var index reg.VecVirtual
	if across {
		index = ZMM()
		VMOVDQU32(order, index)
	}
	TESTQ(n, n)
	JZ(LabelRef("done"))
	Label("loop")
	from := GP64()
	MOVQ(src, from)
	rows := make([]reg.VecVirtual, 16)
	for i := range rows {
		low, high := ZMM(), ZMM()
		rows[i] = ZMM()
		VMOVUPS(Mem{Base: from}, low)
		if across {
			VMOVUPS(Mem{Base: from, Index: ld, Scale: 1}, high)
			LEAQ(Mem{Base: from, Index: ld, Scale: 2}, from)
		} else {
			VMOVUPS(Mem{Base: from, Disp: 64}, high)
			ADDQ(ld, from)
		}
		roundAMX(low, high, rows[i])
		if across {
			VPERMW(rows[i], index, rows[i])
		}
		if !transposed {
			VMOVUPS(rows[i], Mem{Base: dst, Disp: 64 * i})
		}
	}
	if transposed {
		swap16(rows)
		for i, v := range rows {
			VMOVUPS(v, Mem{Base: dst, Disp: 64 * i})
		}
	}
	ADDQ(srcStep, src)
	ADDQ(dstStep, dst)
	DECQ(n)
	JNZ(LabelRef("loop"))
	Label("done")
	VZEROUPPER()
	RET()
}
