// Command peak writes loops that consist of multiply-adds only.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

func main() {
	ConstraintExpr("amd64,!noasm")
	chains(simd.AVX512(), 24)
	chains(&simd.ISA{Name: "AVX2", Lanes: 8}, 12)
	Generate()
}

func chains(s *simd.ISA, count int) {
	TEXT("fma"+s.Name, NOSPLIT, "func(rounds int)")
	Doc("fma" + s.Name + " does rounds of one multiply-add of vectors in each of its independent chains.")
	n := Load(Param("rounds"), GP64())
	acc := make([]reg.VecVirtual, count)
	for i := range acc {
		acc[i] = s.Vec()
		s.Zero(acc[i])
	}
	x := s.Vec()
	s.Zero(x)
	Label("loop")
	for _, v := range acc {
		VFMADD231PS(x, x, v)
	}
	DECQ(n)
	JNZ(LabelRef("loop"))
	VZEROUPPER()
	RET()
}
