package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/dl4go/dl4go/internal/kernel/_gen/simd"
)

// columnVectors is the number of vectors of columns by which a row is multiplied at a time: enough chains of
// multiply-adds to hide their latency.
const columnVectors = 8

// columns multiplies a row by some columns of a matrix.
func columns(s *simd.ISA) {
	TEXT("columns"+s.Name, NOSPLIT, "func(y, x *float32, xStep int, w *float32, wRow, k int, alpha, beta float32)")
	Doc(fmt.Sprintf("columns%s computes y[c] = alpha*Σ x[i*xStep]*w[i*wRow+c] + beta*y[c] for c in [0, %d).", s.Name,
		columnVectors*s.Lanes))
	Pragma("noescape")
	param := func(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }
	x, xStep, w, wRow, k := param("x"), param("xStep"), param("w"), param("wRow"), param("k")
	SHLQ(U8(2), xStep)
	SHLQ(U8(2), wRow)
	var acc []reg.VecVirtual
	for range columnVectors {
		v := s.Vec()
		s.Zero(v)
		acc = append(acc, v)
	}
	TESTQ(k, k)
	JZ(LabelRef("store"))
	Label("loop")
	factor := s.Vec()
	VBROADCASTSS(Mem{Base: x}, factor)
	for i, v := range acc {
		VFMADD231PS(Mem{Base: w, Disp: i * s.Bytes()}, factor, v)
	}
	ADDQ(xStep, x)
	ADDQ(wRow, w)
	DECQ(k)
	JNZ(LabelRef("loop"))

	Label("store")
	y := param("y")
	float := func(name string) Mem {
		c, err := Param(name).Resolve()
		if err != nil {
			panic(err)
		}
		return c.Addr
	}
	scale := s.Vec()
	VBROADCASTSS(float("alpha"), scale)
	for _, v := range acc {
		VMULPS(scale, v, v)
	}
	beta := GP32()
	MOVL(float("beta"), beta)
	ADDL(beta, beta) // zero also if it is -0
	JZ(LabelRef("new"))
	VBROADCASTSS(float("beta"), scale)
	for i, v := range acc {
		VFMADD231PS(Mem{Base: y, Disp: i * s.Bytes()}, scale, v)
	}
	Label("new")
	for i, v := range acc {
		s.Store(v, Mem{Base: y, Disp: i * s.Bytes()})
	}
	VZEROUPPER()
	RET()
}
