package main

import (
	"math/bits"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// transpose copies square blocks of one vector's lanes. At the edges, it loads the last row instead of rows beyond it,
// and does not store them. AVX2 stores a part in several steps. So where rows of dst follow each other without a gap, all
// but the last block are stored as whole vectors, and the next row overwrites what is too much.
func transpose(s *simd.ISA) {
	n := s.Lanes
	TEXT("transpose"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, cols int)")
	Doc("transpose" + s.Name + " copies src [rows, cols] to dst [cols, rows].")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst0, dstRow, src0, srcRow, rows := param("dst"), param("dstRow"), param("src"), param("srcRow"), param("rows")
	SHLQ(U8(2), dstRow)
	SHLQ(U8(2), srcRow)

	Label("rowBlocks")
	TESTQ(rows, rows)
	JLE(LabelRef("done"))
	src, dst, cols, high, wide := GP64(), GP64(), GP64(), GP64(), GP64()
	MOVQ(src0, src)
	MOVQ(dst0, dst)
	Load(Param("cols"), cols)
	atMost := func(x, out reg.GPVirtual) {
		limit := GP64()
		MOVQ(U32(n), limit)
		MOVQ(x, out)
		CMPQ(x, limit)
		CMOVQGT(limit, out)
	}
	atMost(rows, high)
	storeMask := s.Mask(high)

	Label("colBlocks")
	TESTQ(cols, cols)
	JLE(LabelRef("nextRows"))
	atMost(cols, wide)
	both, next := GP64(), GP64()
	LEAQ(Mem{Base: wide, Index: high, Scale: 1}, both)
	CMPQ(both, U8(2*n))
	JNE(LabelRef("part"))

	swap := func(load func(i int, m Mem, v reg.VecVirtual), store func(i int, v reg.VecVirtual, m Mem), step func(i int, from reg.GPVirtual)) {
		from, to := GP64(), GP64()
		MOVQ(src, from)
		r := make([]reg.VecVirtual, n)
		for i := range r {
			r[i] = s.Vec()
			load(i, Mem{Base: from}, r[i])
			if i < n-1 {
				step(i, from)
			}
		}
		if s.Wide {
			swap16(r)
		} else {
			swap8(r)
		}
		MOVQ(dst, to)
		for i, v := range r {
			store(i, v, Mem{Base: to})
			ADDQ(dstRow, to)
		}
		MOVQ(to, dst)
		ADDQ(U8(s.Bytes()), src)
		SUBQ(U8(n), cols)
		JMP(LabelRef("colBlocks"))
	}
	swap(func(_ int, m Mem, v reg.VecVirtual) { s.Load(m, v) },
		func(_ int, v reg.VecVirtual, m Mem) { s.Store(v, m) },
		func(_ int, from reg.GPVirtual) { ADDQ(srcRow, from) })
	Label("part")
	atLast := func(i int, from reg.GPVirtual) {
		LEAQ(Mem{Base: from, Index: srcRow, Scale: 1}, next)
		CMPQ(high, U8(i+1))
		CMOVQGT(next, from)
	}
	if !s.Wide {
		CMPQ(cols, U8(n))
		JLE(LabelRef("masked"))
		CMPQ(high, U8(n/2)) // the rest is no longer than a row
		JLT(LabelRef("masked"))
		row := GP64()
		MOVQ(high, row)
		SHLQ(U8(2), row)
		CMPQ(row, dstRow)
		JNE(LabelRef("masked"))
		swap(func(_ int, m Mem, v reg.VecVirtual) { s.Load(m, v) },
			func(_ int, v reg.VecVirtual, m Mem) { s.Store(v, m) }, atLast)
		Label("masked")
	}
	loadMask := s.Mask(wide)
	swap(func(_ int, m Mem, v reg.VecVirtual) { s.LoadMasked(m, loadMask, v) },
		func(i int, v reg.VecVirtual, m Mem) {
			s.StoreMasked(v, storeMask, m)
			if i < n-1 {
				CMPQ(wide, U8(i+1))
				JEQ(LabelRef("nextRows"))
			}
		},
		atLast)

	Label("nextRows")
	block := GP64()
	MOVQ(srcRow, block)
	SHLQ(U8(bits.Len(uint(n))-1), block)
	ADDQ(block, src0)
	ADDQ(U8(s.Bytes()), dst0)
	SUBQ(U8(n), rows)
	JMP(LabelRef("rowBlocks"))
	Label("done")
	VZEROUPPER()
	RET()
}

// pairs applies two instructions to two registers.
func pairs(lo, hi func(b, a, d Op)) func(a, b reg.VecVirtual, fresh func() reg.VecVirtual) (x, y reg.VecVirtual) {
	return func(a, b reg.VecVirtual, fresh func() reg.VecVirtual) (x, y reg.VecVirtual) {
		x, y = fresh(), fresh()
		lo(b, a, x)
		hi(b, a, y)
		return x, y
	}
}

var (
	floats   = pairs(func(b, a, d Op) { VUNPCKLPS(b, a, d) }, func(b, a, d Op) { VUNPCKHPS(b, a, d) })
	doubles  = pairs(func(b, a, d Op) { VUNPCKLPD(b, a, d) }, func(b, a, d Op) { VUNPCKHPD(b, a, d) })
	halves   = pairs(func(b, a, d Op) { VPERM2F128(U8(0x20), b, a, d) }, func(b, a, d Op) { VPERM2F128(U8(0x31), b, a, d) })
	quarters = pairs(func(b, a, d Op) { VSHUFF32X4(U8(0x88), b, a, d) }, func(b, a, d Op) { VSHUFF32X4(U8(0xdd), b, a, d) })
)

// fours transposes within every four rows: of each four, r[.+j] then has columns j, 4+j, and so on.
func fours(r []reg.VecVirtual, fresh func() reg.VecVirtual) {
	for i := 0; i < len(r); i += 2 {
		r[i], r[i+1] = floats(r[i], r[i+1], fresh)
	}
	for g := 0; g < len(r); g += 4 {
		a, b := doubles(r[g], r[g+2], fresh)
		c, d := doubles(r[g+1], r[g+3], fresh)
		r[g], r[g+1], r[g+2], r[g+3] = a, b, c, d
	}
}

func swap16(r []reg.VecVirtual) {
	fours(r, ZMM)
	for j := range 4 {
		v0, v1 := quarters(r[j], r[4+j], ZMM)
		w0, w1 := quarters(r[8+j], r[12+j], ZMM)
		r[j], r[8+j] = quarters(v0, w0, ZMM)
		r[4+j], r[12+j] = quarters(v1, w1, ZMM)
	}
}

func swap8(r []reg.VecVirtual) {
	fours(r, YMM)
	for j := range 4 {
		r[j], r[4+j] = halves(r[j], r[4+j], YMM)
	}
}
