package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// copyRows copies rows of at most two vectors: two whole ones, a whole one and a part, or a part.
func copyRows(s *simd.ISA) {
	TEXT("copyRows"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, srcRow, rows, n int)")
	Doc("copyRows" + s.Name + " copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows), rows > 0, n of at most two vectors.")
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	dst, dstRow, src, srcRow := param("dst"), param("dstRow"), param("src"), param("srcRow")
	rows, n := param("rows"), param("n")
	SHLQ(U8(2), dstRow)
	SHLQ(U8(2), srcRow)
	loop := func(label string, whole int, mask *simd.Mask) {
		Label(label)
		for i := range whole {
			v := s.Vec()
			s.Load(Mem{Base: src, Disp: i * s.Bytes()}, v)
			s.Store(v, Mem{Base: dst, Disp: i * s.Bytes()})
		}
		if mask != nil {
			v := s.Vec()
			s.LoadMasked(Mem{Base: src, Disp: whole * s.Bytes()}, *mask, v)
			s.StoreMasked(v, *mask, Mem{Base: dst, Disp: whole * s.Bytes()})
		}
		ADDQ(srcRow, src)
		ADDQ(dstRow, dst)
		DECQ(rows)
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
