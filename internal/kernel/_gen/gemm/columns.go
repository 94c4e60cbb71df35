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
	w, wRow := parameter("w"), parameter("wRow")
	SHLQ(U8(2), wRow)
	row(s, func(i int) Mem { return Mem{Base: w, Disp: i * s.Bytes()} }, func() { ADDQ(wRow, w) })
}

// strips multiplies a row by strips of two vectors of columns, each packed.
func strips(s *simd.ISA) {
	TEXT("strips"+s.Name, NOSPLIT, "func(y, x *float32, xStep int, w0, w1, w2, w3 *float32, k int, alpha, beta float32)")
	Doc(fmt.Sprintf("strips%s computes y[c] = alpha*Σ x[i*xStep]*w[i*%d+c%%%d] + beta*y[c] for c in [0, %d), where w is w0 for the "+
		"first %d columns, and so on.", s.Name, 2*s.Lanes, 2*s.Lanes, columnVectors*s.Lanes, 2*s.Lanes))
	Pragma("noescape")
	var w []reg.GPVirtual
	for i := range columnVectors / 2 {
		w = append(w, parameter(fmt.Sprint("w", i)))
	}
	row(s, func(i int) Mem { return Mem{Base: w[i/2], Disp: i % 2 * s.Bytes()} }, func() {
		for _, p := range w {
			ADDQ(U32(2*s.Bytes()), p)
		}
	})
}

func parameter(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// row computes columnVectors vectors of a row's product. at is the place of a vector of the matrix's row; next goes to
// the next row.
func row(s *simd.ISA, at func(i int) Mem, next func()) {
	x, xStep, k := parameter("x"), parameter("xStep"), parameter("k")
	SHLQ(U8(2), xStep)
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
		VFMADD231PS(at(i), factor, v)
	}
	ADDQ(xStep, x)
	next()
	DECQ(k)
	JNZ(LabelRef("loop"))

	Label("store")
	y := parameter("y")
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
