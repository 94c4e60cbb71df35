package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// copyRows copies rows of at most two vectors: two whole ones, a whole one and a part, or a part. AVX2 stores a part in
// several steps. So where rows follow each other without a gap, all but the last one are stored as whole vectors. The next
// row then overwrites what is too much.
func copyRows(s *simd.ISA) {
	TEXT("copyRows"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, n int)")
	Doc("copyRows" + s.Name + " copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows), rows > 0, n of at most two vectors.")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, dstRow, src, srcRow := param("dst"), param("dstRow"), param("src"), param("srcRow")
	rows, n := param("rows"), param("n")
	SHLQ(U8(2), dstRow)
	SHLQ(U8(2), srcRow)
	bytes := GP64()
	if !s.Wide {
		MOVQ(n, bytes)
		SHLQ(U8(2), bytes)
	}
	copyRow := func(whole int, mask *simd.Mask, store func(v reg.VecVirtual, m Mem)) {
		for i := range whole {
			v := s.Vec()
			s.Load(Mem{Base: src, Disp: i * s.Bytes()}, v)
			s.Store(v, Mem{Base: dst, Disp: i * s.Bytes()})
		}
		if mask != nil {
			v := s.Vec()
			s.LoadMasked(Mem{Base: src, Disp: whole * s.Bytes()}, *mask, v)
			store(v, Mem{Base: dst, Disp: whole * s.Bytes()})
		}
		ADDQ(srcRow, src)
		ADDQ(dstRow, dst)
		DECQ(rows)
	}
	loop := func(label string, whole int, mask *simd.Mask) {
		if mask != nil && !s.Wide {
			CMPQ(bytes, dstRow)
			JNE(LabelRef(label))
			CMPQ(bytes, U8(s.Bytes()/2)) // the rest is no longer than a row
			JLT(LabelRef(label))
			DECQ(rows)
			JZ(LabelRef(label + "last"))
			Label(label + "whole")
			copyRow(whole, mask, s.Store)
			JNZ(LabelRef(label + "whole"))
			Label(label + "last")
			INCQ(rows)
		}
		Label(label)
		copyRow(whole, mask, func(v reg.VecVirtual, m Mem) { s.StoreMasked(v, *mask, m) })
		JNZ(LabelRef(label))
		VZEROUPPER()
		RET()
	}
	CMPQ(n, U8(2*s.Lanes))
	JEQ(LabelRef("two"))
	CMPQ(n, U8(s.Lanes))
	JGT(LabelRef("more"))
	mask := s.Mask(n)
	loop("part", 0, &mask)
	Label("more")
	SUBQ(U8(s.Lanes), n)
	mask = s.Mask(n)
	loop("rest", 1, &mask)
	loop("two", 2, nil)
}
