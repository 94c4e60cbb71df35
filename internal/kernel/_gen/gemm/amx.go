package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The tiles of AMX: four of C, row by row, two of A and two of B.
const tileA, tileB = 4, 6

func tileC(row, col int) int { return 2*row + col }

// amx emits an instruction that Go's assembler does not have. Pieces of four bytes are words of the instruction stream.
func amx(text string, code ...byte) {
	Comment(text)
	for ; len(code) >= 4; code = code[4:] {
		word := uint32(code[0]) | uint32(code[1])<<8 | uint32(code[2])<<16 | uint32(code[3])<<24
		Instruction(&ir.Instruction{Opcode: "LONG", Operands: []Op{U32(word)}})
	}
	for _, x := range code {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(x)}})
	}
}

// The registers of the tile instructions. Their numbers are below 8, so that no prefix has a bit of them.
var (
	aAt, bAt, cAt = reg.RSI, reg.RDI, reg.RBX
	line, cRow    = reg.RAX, reg.RDX // the lengths of rows: a packed tile's, and that of C
	a1At, b1At    = reg.R8, reg.R9
	c1At          = reg.R10
	rows, cols    = reg.R11, reg.R12 // units that are left
	column, b     = reg.R13, reg.R15 // the unit of columns in C and in the right factor
)

// number returns the number of a register in instructions.
func number(r reg.GPPhysical) byte {
	return map[string]byte{"AX": 0, "DX": 2, "BX": 3, "SI": 6, "DI": 7, "R8": 8, "R9": 9, "R10": 10}[r.Asm()]
}

// memory emits an instruction with a tile and rows in memory: base, base + row, and so on.
func memory(name string, prefix byte, tile int, base, row reg.GPPhysical) {
	b := number(base)
	first := byte(0xe2)
	if b >= 8 {
		first &^= 0x20
	}
	amx(fmt.Sprintf("%s TMM%d, (%s)(%s*1)", name, tile, base.Asm(), row.Asm()), 0xc4, first, prefix, 0x4b,
		byte(tile)<<3|4, number(row)<<3|b&7)
}

func tileLoad(tile int, base, row reg.GPPhysical)  { memory("TILELOADD", 0x7b, tile, base, row) }
func tileStore(tile int, base, row reg.GPPhysical) { memory("TILESTORED", 0x7a, tile, base, row) }

func tileZero(tile int) {
	amx(fmt.Sprintf("TILEZERO TMM%d", tile), 0xc4, 0xe2, 0x7b, 0x49, 0xc0|byte(tile)<<3)
}

func tileDot(c, a, b int) {
	amx(fmt.Sprintf("TDPBF16PS TMM%d, TMM%d, TMM%d", b, a, c), 0xc4, 0xe2, byte(^b&15)<<3|2, 0x5c, 0xc0|byte(c)<<3|byte(a))
}

// multiplyAMX is a product of packed tiles. It has a loop for each number of tiles of a unit. The configuration lives
// within a call, because goroutines change threads.
func multiplyAMX() {
	TEXT("multiplyAMX", NOSPLIT, "func(config *byte, a *float32, aStep int, b *float32, bStep int, c *float32, cRow int, "+
		"k, rows, cols, shape int)")
	Doc("multiplyAMX adds to rows and cols of units of C the products of k tiles of A and of B.",
		"Of shape, bit 0 says that a unit has two rows of tiles, bit 1 two columns, and bit 2 that C is 0 before.")
	Pragma("noescape")
	argument("config", reg.RCX)
	amx("LDTILECFG (CX)", 0xc4, 0xe2, 0x78, 0x49, 1)
	argument("c", column)
	argument("cRow", cRow)
	argument("cols", cols)
	argument("b", b)
	MOVQ(U32(64), line)

	Label("column")
	argument("a", aAt)
	argument("rows", rows)
	MOVQ(column, cAt)
	Label("unit")
	argument("shape", reg.RCX)
	ANDQ(U8(3), reg.RCX)
	for i, name := range []string{"rows1cols1", "rows2cols1", "rows1cols2"} {
		CMPQ(reg.RCX, U8(i))
		JEQ(LabelRef(name))
	}
	for high := 2; high >= 1; high-- {
		for wide := 2; wide >= 1; wide-- {
			unitAMX(high, wide)
			JMP(LabelRef("next"))
		}
	}
	Label("next")
	argument("aStep", reg.RCX)
	LEAQ(Mem{Base: aAt, Index: reg.RCX, Scale: 2}, aAt)
	MOVQ(cRow, reg.RCX)
	SHLQ(U8(5), reg.RCX)
	ADDQ(reg.RCX, cAt)
	DECQ(rows)
	JNZ(LabelRef("unit"))
	argument("bStep", reg.RCX)
	LEAQ(Mem{Base: b, Index: reg.RCX, Scale: 2}, b)
	ADDQ(I32(128), column)
	DECQ(cols)
	JNZ(LabelRef("column"))
	amx("TILERELEASE", 0xc4, 0xe2, 0x78, 0x49, 0xc0)
	RET()
}

func argument(name string, r reg.GPPhysical) { Load(Param(name), r) }

// unitAMX is the product of a unit of high rows of tiles and wide columns.
func unitAMX(high, wide int) {
	label := fmt.Sprintf("rows%dcols%d", high, wide)
	Label(label)
	left := reg.RCX
	each := func(f func(r, c int)) {
		for r := range high {
			for c := range wide {
				f(r, c)
			}
		}
	}
	place := func(r, c int) reg.GPPhysical { // of a tile of C
		if r == 0 && c == 0 {
			return cAt
		}
		MOVQ(cAt, c1At)
		if r == 1 {
			MOVQ(cRow, reg.RCX)
			SHLQ(U8(4), reg.RCX)
			ADDQ(reg.RCX, c1At)
		}
		if c == 1 {
			ADDQ(U8(64), c1At)
		}
		return c1At
	}
	MOVQ(cAt, c1At) // C comes to the cache while tiles are multiplied
	for r := range 16 * high {
		if r > 0 {
			ADDQ(cRow, c1At)
		}
		amx("PREFETCHW (R10)", 0x41, 0x0f, 0x0d, 0x0a)
		if wide == 2 {
			amx("PREFETCHW 64(R10)", 0x41, 0x0f, 0x0d, 0x4a, 0x40)
		}
	}
	argument("shape", left)
	BTQ(U8(2), left)
	JCS(LabelRef(label + "zero"))
	each(func(r, c int) { tileLoad(tileC(r, c), place(r, c), cRow) })
	JMP(LabelRef(label + "begin"))
	Label(label + "zero")
	each(func(r, c int) { tileZero(tileC(r, c)) })
	Label(label + "begin")
	MOVQ(b, bAt)
	if high == 2 {
		argument("aStep", a1At)
		ADDQ(aAt, a1At)
	}
	if wide == 2 {
		argument("bStep", b1At)
		ADDQ(bAt, b1At)
	}
	argument("k", left)
	TESTQ(left, left)
	JZ(LabelRef(label + "end"))
	Label(label + "loop")
	tileLoad(tileB, bAt, line)
	tileLoad(tileA, aAt, line)
	tileDot(tileC(0, 0), tileA, tileB)
	ADDQ(U32(1024), bAt)
	ADDQ(U32(1024), aAt)
	if wide == 2 {
		tileLoad(tileB+1, b1At, line)
		ADDQ(U32(1024), b1At)
		tileDot(tileC(0, 1), tileA, tileB+1)
	}
	if high == 2 {
		tileLoad(tileA+1, a1At, line)
		ADDQ(U32(1024), a1At)
		tileDot(tileC(1, 0), tileA+1, tileB)
	}
	if high == 2 && wide == 2 {
		tileDot(tileC(1, 1), tileA+1, tileB+1)
	}
	DECQ(left)
	JNZ(LabelRef(label + "loop"))
	Label(label + "end")
	argument("k", left)
	SHLQ(U8(10), left)
	SUBQ(left, aAt)
	each(func(r, c int) { tileStore(tileC(r, c), place(r, c), cRow) })
}
