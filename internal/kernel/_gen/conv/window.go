package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// The fields of conv.window.
const (
	windowA, windowB, windowC, windowStart, windowOffsets = 0, 24, 48, 72, 96
	windowBNext, windowCNext, windowCRow                  = 120, 128, 136
	windowRows, windowK, windowCols, windowAdd            = 144, 152, 160, 176
)

// windowUnroll is the number of terms that one round of the loop adds.
const windowUnroll = 4

// window computes a conv.window: one loop for every number of rows, of two vectors and of one.
func window(s *simd.ISA, maxRows int) {
	TEXT("window"+s.Name, NOSPLIT, "func(d *byte)")
	Doc(fmt.Sprintf("window%s computes d, a window of at most %d rows.", s.Name, maxRows))
	Pragma("noescape")
	d := param("d")
	rows, second := GP64(), GP64()
	MOVQ(Mem{Base: d, Disp: windowRows}, rows)
	MOVQ(Mem{Base: d, Disp: windowCols + 8}, second)
	TESTQ(second, second)
	JZ(LabelRef("one"))
	for _, mode := range []string{"two", "one"} {
		Label(mode)
		for r := maxRows; r > 1; r-- {
			CMPQ(rows, U8(r))
			JEQ(LabelRef(fmt.Sprint(mode, r)))
		}
		JMP(LabelRef(mode + "1"))
	}
	for r := maxRows; r >= 1; r-- {
		windowLoop(s, d, "two", r, 2)
		windowLoop(s, d, "one", r, 1)
	}
}

func windowLoop(s *simd.ISA, d reg.GPVirtual, mode string, rows, vectors int) {
	label := fmt.Sprint(mode, rows)
	Label(label)
	field := func(offset int) reg.GPVirtual {
		r := GP64()
		MOVQ(Mem{Base: d, Disp: offset}, r)
		return r
	}
	acc := make([][]reg.VecVirtual, rows)
	for r := range acc {
		for range vectors {
			acc[r] = append(acc[r], s.Vec())
		}
	}
	start, n := field(windowStart), field(windowStart+8)
	TESTQ(n, n)
	JZ(LabelRef(label + "zero"))
	for r := range acc {
		VBROADCASTSS(Mem{Base: start, Disp: 4 * r}, acc[r][0])
		if vectors == 2 {
			VMOVAPS(acc[r][0], acc[r][1])
		}
	}
	JMP(LabelRef(label + "begin"))
	Label(label + "zero")
	for r := range acc {
		for _, v := range acc[r] {
			s.Zero(v)
		}
	}
	Label(label + "begin")

	a, offsets, k := field(windowA), field(windowOffsets), field(windowK)
	b := []reg.GPVirtual{field(windowB)}
	if vectors == 2 {
		next := field(windowBNext)
		LEAQ(Mem{Base: b[0], Index: next, Scale: 4}, next)
		b = append(b, next)
	}
	terms := func(n int) {
		for i := range n {
			at := GP64()
			MOVLQSX(Mem{Base: offsets, Disp: 4 * i}, at)
			var bv []reg.VecVirtual
			for _, p := range b {
				v := s.Vec()
				s.Load(Mem{Base: p, Index: at, Scale: 4}, v)
				bv = append(bv, v)
			}
			for r := range acc {
				m := Mem{Base: a, Disp: 4 * (i*rows + r)}
				if vectors == 1 && s.Wide {
					VFMADD231PS_BCST(m, bv[0], acc[r][0])
					continue
				}
				x := s.Vec()
				VBROADCASTSS(m, x)
				for j, v := range bv {
					VFMADD231PS(v, x, acc[r][j])
				}
			}
		}
		ADDQ(U32(4*rows*n), a)
		ADDQ(U8(4*n), offsets)
	}
	SUBQ(U8(windowUnroll), k)
	JLT(LabelRef(label + "rest"))
	Label(label + "loop")
	terms(windowUnroll)
	SUBQ(U8(windowUnroll), k)
	JGE(LabelRef(label + "loop"))
	Label(label + "rest")
	ADDQ(U8(windowUnroll), k)
	JZ(LabelRef(label + "end"))
	Label(label + "last")
	terms(1)
	DECQ(k)
	JNZ(LabelRef(label + "last"))
	Label(label + "end")

	c := []reg.GPVirtual{field(windowC)}
	if vectors == 2 {
		next := field(windowCNext)
		LEAQ(Mem{Base: c[0], Index: next, Scale: 4}, next)
		c = append(c, next)
	}
	row, add := field(windowCRow), field(windowAdd)
	SHLQ(U8(2), row)
	cols := []reg.GPVirtual{field(windowCols)}
	all := GP64()
	MOVQ(cols[0], all)
	if vectors == 2 {
		cols = append(cols, field(windowCols+8))
		ADDQ(cols[1], all)
	}
	advance := func() {
		for _, p := range c {
			ADDQ(row, p)
		}
	}
	CMPQ(all, U8(vectors*s.Lanes))
	JNE(LabelRef(label + "masked"))
	TESTQ(add, add)
	JZ(LabelRef(label + "store"))
	for r := range acc {
		for i, v := range acc[r] {
			VADDPS(Mem{Base: c[i]}, v, v)
			s.Store(v, Mem{Base: c[i]})
		}
		advance()
	}
	VZEROUPPER()
	RET()
	Label(label + "store")
	for r := range acc {
		for i, v := range acc[r] {
			s.Store(v, Mem{Base: c[i]})
		}
		advance()
	}
	VZEROUPPER()
	RET()
	Label(label + "masked")
	var masks []simd.Mask
	for _, n := range cols {
		masks = append(masks, s.Mask(n))
	}
	TESTQ(add, add)
	JZ(LabelRef(label + "part"))
	for r := range acc {
		for i, v := range acc[r] {
			old := s.Vec()
			s.LoadMasked(Mem{Base: c[i]}, masks[i], old)
			VADDPS(old, v, v)
			s.StoreMasked(v, masks[i], Mem{Base: c[i]})
		}
		advance()
	}
	VZEROUPPER()
	RET()
	Label(label + "part")
	for r := range acc {
		for i, v := range acc[r] {
			s.StoreMasked(v, masks[i], Mem{Base: c[i]})
		}
		advance()
	}
	VZEROUPPER()
	RET()
}
