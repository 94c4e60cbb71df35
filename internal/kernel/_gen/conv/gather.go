package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// columns runs body for two vectors at a time, then for the rest of n columns: one vector at a time, whole or masked.
// It advances the pointers in between. body gets the number of vectors; the last is masked if mask isn't nil.
func columns(s *simd.ISA, n reg.GPVirtual, body func(label string, vectors int, mask *simd.Mask), pointers ...reg.GPVirtual) {
	advance := func(vectors int) {
		for _, p := range pointers {
			ADDQ(U32(vectors*s.Bytes()), p)
		}
		SUBQ(U32(vectors*s.Lanes), n)
	}
	Label("two")
	CMPQ(n, U8(2*s.Lanes))
	JLT(LabelRef("one"))
	body("two", 2, nil)
	advance(2)
	JMP(LabelRef("two"))
	Label("one")
	CMPQ(n, U8(s.Lanes))
	JLT(LabelRef("rest"))
	body("one", 1, nil)
	advance(1)
	Label("rest")
	TESTQ(n, n)
	JLE(LabelRef("done"))
	mask := s.Mask(n)
	body("rest", 1, &mask)
	Label("done")
	VZEROUPPER()
	RET()
}

func gather(s *simd.ISA) {
	TEXT("gather"+s.Name, NOSPLIT, "func(dst *float32, dstRow int, src *float32, offsets *int32, count, n int)")
	Doc("gather" + s.Name + " copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k in [0, count), count > 0.")
	Pragma("noescape")
	dst, dstRow, src := param("dst"), param("dstRow"), param("src")
	offsets, count, n := param("offsets"), param("count"), param("n")
	SHLQ(U8(2), dstRow)
	LEAQ(Mem{Base: offsets, Index: count, Scale: 4}, offsets)
	NEGQ(count)
	columns(s, n, func(label string, vectors int, mask *simd.Mask) {
		k, to, at := GP64(), GP64(), GP64()
		MOVQ(count, k)
		MOVQ(dst, to)
		Label(label + "Loop")
		MOVLQSX(Mem{Base: offsets, Index: k, Scale: 4}, at)
		for i := range vectors {
			v := s.Vec()
			from, to := Mem{Base: src, Index: at, Scale: 4, Disp: i * s.Bytes()}, Mem{Base: to, Disp: i * s.Bytes()}
			if mask != nil {
				s.LoadMasked(from, *mask, v)
				s.StoreMasked(v, *mask, to)
			} else {
				s.Load(from, v)
				s.Store(v, to)
			}
		}
		ADDQ(dstRow, to)
		INCQ(k)
		JNZ(LabelRef(label + "Loop"))
	}, dst, src)
}
