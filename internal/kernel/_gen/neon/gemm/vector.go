package main

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// vectorRows is the number of rows that vector multiplies, columnVectors that of columns' vectors: enough chains of
// multiply-adds to hide their latency.
const (
	vectorRows    = 16
	columnVectors = 8
)

// vector multiplies rows by a vector. It transposes square blocks of the rows in registers, so that every element
// remains one chain of multiply-adds.
func vector(file *neon.File) {
	f := file.Func("vectorNEON", "func(y, w *float32, wRow int, x *float32, xStep, rows, k int, alpha, beta float32)", 0,
		fmt.Sprintf("computes y[r] = alpha*Σ w[r*wRow+i]*x[i*xStep] + beta*y[r] for r in [0, rows), rows in [1, %d].",
			vectorRows))
	wRow, rows := f.Param("wRow"), f.Param("rows")
	f.Asm("LSL", 2, wRow, wRow)
	// Beyond the last row, the pointers stay there.
	w := []neon.R{f.Param("w")}
	for len(w) < vectorRows {
		p, last := f.Reg(), w[len(w)-1]
		f.Asm("ADD", wRow, last, p)
		f.Asm("CMP", len(w), rows)
		f.Asm("CSEL", "GT", p, last, p)
		w = append(w, p)
	}
	x, xStep, k := f.Param("x"), f.Param("xStep"), f.Param("k")
	f.Asm("LSL", 2, xStep, xStep)
	acc := make([]neon.V, vectorRows/4)
	for g := range acc {
		acc[g] = f.Vec()
		f.Zero(acc[g])
	}
	f.Asm("SUBS", 4, k, k)
	f.Branch("BLT", "tail")
	f.Label("loop")
	var factors []neon.V
	for range 4 {
		v := f.Vec()
		f.Load1(v, neon.Mem{Base: x})
		f.Asm("ADD", xStep, x, x)
		factors = append(factors, v)
	}
	for g, sum := range acc {
		var r []neon.V
		for _, p := range w[4*g:][:4] {
			v := f.Vec()
			f.LoadNext(v, p)
			r = append(r, v)
		}
		for i, v := range swap4(f, r) {
			f.MulAdd(sum, v, factors[i], 0)
		}
	}
	f.Asm("SUBS", 4, k, k)
	f.Branch("BGE", "loop")
	f.Label("tail")
	f.Asm("ADDS", 4, k, k)
	f.Branch("BEQ", "store")
	f.Label("last")
	factor := f.Vec()
	f.Load1(factor, neon.Mem{Base: x})
	f.Asm("ADD", xStep, x, x)
	for g, sum := range acc {
		v := f.Vec()
		for lane, p := range w[4*g:][:4] {
			f.LoadLaneNext(v, lane, p)
		}
		f.MulAdd(sum, v, factor, 0)
	}
	f.Asm("SUBS", 1, k, k)
	f.Branch("BNE", "last")
	f.Label("store")
	storeRows(f, acc)
}

// storeRows writes the first elements of the sums.
func storeRows(f *neon.Func, acc []neon.V) {
	y, rows := f.Param("y"), f.Param("rows")
	scale(f, acc, "new", func(v, factor neon.V, i int) {
		n, old, next := f.Reg(), f.Vec(), fmt.Sprint("next", i)
		f.Asm("SUB", 4*i, rows, n)
		f.Asm("CMP", 4, n)
		f.Branch("BLT", next+"part")
		f.Load(old, neon.Mem{Base: y, Disp: 16 * i})
		f.V3(neon.FMLA, v, old, factor)
		f.Branch("JMP", next)
		f.Label(next + "part")
		f.Asm("CMP", 0, n)
		f.Branch("BLE", next)
		f.LoadPart(old, neon.Mem{Base: y, Disp: 16 * i}, n)
		f.V3(neon.FMLA, v, old, factor)
		f.Label(next)
	})
	for i, v := range acc {
		four := fmt.Sprint("four", i)
		f.Asm("CMP", 4, rows)
		f.Branch("BGE", four)
		f.Branch("CBZ", "done", rows)
		f.StorePart(v, neon.Mem{Base: y}, rows)
		f.Return()
		f.Label(four)
		f.Store(v, neon.Mem{Base: y})
		f.Asm("ADD", 16, y, y)
		f.Asm("SUB", 4, rows, rows)
	}
	f.Label("done")
	f.Return()
}

// scale multiplies the sums by alpha. If beta isn't 0, add adds beta times the old elements.
func scale(f *neon.Func, acc []neon.V, end string, add func(v, factor neon.V, i int)) {
	factor := f.Broadcast("alpha")
	for _, v := range acc {
		f.V3(neon.FMUL, v, v, factor)
	}
	beta, zero := f.Param32("beta"), f.Reg()
	f.Asm("LSLW", 1, beta, zero) // zero also if it is -0
	f.Branch("CBZW", end, zero)
	f.Dup(factor, beta)
	for i, v := range acc {
		add(v, factor, i)
	}
	f.Label(end)
}

// columns multiplies a row by some columns of a matrix.
func columns(file *neon.File) {
	f := file.Func("columnsNEON", "func(y, x *float32, xStep int, w *float32, wRow, k int, alpha, beta float32)", 0,
		fmt.Sprintf("computes y[c] = alpha*Σ x[i*xStep]*w[i*wRow+c] + beta*y[c] for c in [0, %d).", 4*columnVectors))
	x, xStep, w, wRow, k := f.Param("x"), f.Param("xStep"), f.Param("w"), f.Param("wRow"), f.Param("k")
	f.Asm("LSL", 2, xStep, xStep)
	f.Asm("LSL", 2, wRow, wRow)
	acc := make([]neon.V, columnVectors)
	for i := range acc {
		acc[i] = f.Vec()
		f.Zero(acc[i])
	}
	f.Branch("CBZ", "store", k)
	f.Label("loop")
	factor := f.Vec()
	f.Load1(factor, neon.Mem{Base: x})
	for i, sum := range acc {
		v := f.Vec()
		f.Load(v, neon.Mem{Base: w, Disp: 16 * i})
		f.MulAdd(sum, v, factor, 0)
	}
	f.Asm("ADD", xStep, x, x)
	f.Asm("ADD", wRow, w, w)
	f.Asm("SUBS", 1, k, k)
	f.Branch("BNE", "loop")
	f.Label("store")
	y := f.Param("y")
	scale(f, acc, "new", func(v, factor neon.V, i int) {
		old := f.Vec()
		f.Load(old, neon.Mem{Base: y, Disp: 16 * i})
		f.V3(neon.FMLA, v, old, factor)
	})
	for i, v := range acc {
		f.Store(v, neon.Mem{Base: y, Disp: 16 * i})
	}
	f.Return()
}
