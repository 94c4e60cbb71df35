package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// vector multiplies rows by a vector. It transposes square blocks of the rows in registers, so that every element
// remains one chain of multiply-adds.
func vector(s *simd.ISA) {
	n := s.Lanes
	TEXT("vector"+s.Name, NOSPLIT, "func(y, w *float32, wRow int, x *float32, xStep, rows, k int, alpha, beta float32)")
	Doc(fmt.Sprintf("vector%s computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r] for r in [0, rows), rows at most %d.",
		s.Name, n))
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	w, wRow, x, xStep, rows, k := param("w"), param("wRow"), param("x"), param("xStep"), param("rows"), param("k")
	SHLQ(U8(2), wRow)
	SHLQ(U8(2), xStep)
	acc := s.Vec()
	s.Zero(acc)
	from, next := GP64(), GP64()

	block := func(load func(m Mem, v reg.VecVirtual), last func(i int)) {
		MOVQ(w, from)
		r := make([]reg.VecVirtual, n)
		for i := range r {
			r[i] = s.Vec()
			load(Mem{Base: from}, r[i])
			if i < n-1 {
				LEAQ(Mem{Base: from, Index: wRow, Scale: 1}, next)
				CMPQ(rows, U8(i+1))
				CMOVQGT(next, from)
			}
		}
		if s.Wide {
			swap16(r)
		} else {
			swap8(r)
		}
		for i := range r {
			if s.Wide {
				VFMADD231PS_BCST(Mem{Base: x}, r[i], acc)
			} else {
				v := s.Vec()
				VBROADCASTSS(Mem{Base: x}, v)
				VFMADD231PS(v, r[i], acc)
			}
			ADDQ(xStep, x)
			last(i)
		}
	}
	Label("loop")
	CMPQ(k, U8(n))
	JLT(LabelRef("tail"))
	block(s.Load, func(int) {})
	ADDQ(U8(s.Bytes()), w)
	SUBQ(U8(n), k)
	JMP(LabelRef("loop"))
	Label("tail")
	TESTQ(k, k)
	JZ(LabelRef("store"))
	mask := s.Mask(k)
	block(func(m Mem, v reg.VecVirtual) { s.LoadMasked(m, mask, v) }, func(i int) {
		if i < n-1 {
			CMPQ(k, U8(i+1))
			JEQ(LabelRef("store"))
		}
	})

	Label("store")
	y := param("y")
	factor, old := s.Vec(), s.Vec()
	lanes := s.Mask(rows)
	float := func(name string) Mem {
		c, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return c.Addr
	}
	VBROADCASTSS(float("alpha"), factor)
	VMULPS(factor, acc, acc)
	beta := GP32()
	MOVL(float("beta"), beta)
	ADDL(beta, beta) // -0 is 0
	JZ(LabelRef("new"))
	VBROADCASTSS(float("beta"), factor)
	s.LoadMasked(Mem{Base: y}, lanes, old)
	VFMADD231PS(factor, old, acc)
	Label("new")
	s.StoreMasked(acc, lanes, Mem{Base: y})
	VZEROUPPER()
	RET()
}
