package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// addTimes adds a vector times a factor, and keeps the largest magnitude. As whole numbers, the bits of magnitudes are
// in the order of the numbers, and those of NaN are above them.
func addTimes(s *simd.ISA) {
	group := vectors * s.Lanes
	TEXT("addTimes"+s.Name, NOSPLIT, "func(x, u *float32, n int, times float32) float32")
	Doc(fmt.Sprintf("addTimes%s is Set.AddTimes for n a multiple of %d.", s.Name, group))
	Pragma("noescape")
	x, u, n := param("x"), param("u"), param("n")
	times, magnitude := broadcast(s, "times"), magnitudes(s)
	largest := make([]reg.VecVirtual, vectors)
	for j := range largest {
		largest[j] = s.Vec()
		s.Zero(largest[j])
	}
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	v := make([]reg.VecVirtual, vectors)
	for j := range v {
		v[j] = s.Vec()
		s.Load(Mem{Base: u, Disp: s.Bytes() * j}, v[j])
		VMULPS(times, v[j], v[j])
		VADDPS(Mem{Base: x, Disp: s.Bytes() * j}, v[j], v[j])
		s.Store(v[j], Mem{Base: x, Disp: s.Bytes() * j})
		VPMAXUD(and(s, magnitude, v[j]), largest[j], largest[j])
	}
	ADDQ(I32(4*group), x)
	ADDQ(I32(4*group), u)
	SUBQ(U8(group), n)
	JMP(LabelRef("loop"))
	Label("done")
	for j := 1; j < vectors; j++ {
		VPMAXUD(largest[j], largest[0], largest[0])
	}
	Store(largestOf(s, largest[0]), ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// largestOf returns the largest element of a vector of whole numbers.
func largestOf(s *simd.ISA, v reg.VecVirtual) reg.VecVirtual {
	y, half := YMM(), YMM()
	if s.Wide {
		VEXTRACTI64X4(U8(1), v, half)
		VPMAXUD(half, v.AsY(), y)
	} else {
		y = v
	}
	x := XMM()
	VEXTRACTI128(U8(1), y, x)
	VPMAXUD(y.AsX(), x, x)
	other := XMM()
	VPSHUFD(U8(0b1110), x, other)
	VPMAXUD(other, x, x)
	VPSHUFD(U8(0b0001), x, other)
	VPMAXUD(other, x, x)
	return x
}
