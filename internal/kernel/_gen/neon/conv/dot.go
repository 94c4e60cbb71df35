package main

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// The fields of conv.dot.
const (
	fieldA, fieldB, fieldC                                    = 0, 24, 48
	fieldARow, fieldAGroup, fieldBRow, fieldBGroup, fieldCRow = 72, 80, 88, 96, 104
	fieldRows, fieldCols, fieldN, fieldGroups, fieldAdd       = 112, 120, 128, 136, 144
)

// dot computes a conv.dot: one loop for every number of rows and columns.
func dot(file *neon.File, size int) {
	f := file.Func("dotNEON", "func(d *byte)", 0, fmt.Sprintf("computes d, a dot of at most %d rows and columns.", size))
	d := fields{f, f.Param("d")}
	index, cols := d.field(fieldRows), d.field(fieldCols)
	f.Asm("LSL", 3, index, index)
	f.Asm("ADD", cols, index, index)
	for r := size; r > 0; r-- {
		for c := size; c > 0; c-- {
			if r+c > 2 {
				f.Asm("CMP", 8*r+c, index)
				f.Branch("BEQ", fmt.Sprintf("dot%d%d", r, c))
			}
		}
	}
	f.Branch("JMP", "dot11")
	for r := size; r > 0; r-- {
		for c := size; c > 0; c-- {
			dotLoop(d, r, c)
		}
	}
}

// rows returns a pointer to every row of an operand.
func (f fields) rows(pointer, stride, count int) []neon.R {
	p, step := []neon.R{f.field(pointer)}, f.bytes(stride)
	for len(p) < count {
		next := f.Reg()
		f.Asm("ADD", step, p[len(p)-1], next)
		p = append(p, next)
	}
	return p
}

func dotLoop(f fields, height, width int) {
	label := fmt.Sprintf("dot%d%d", height, width)
	f.Label(label)
	a, b := f.rows(fieldA, fieldARow, height), f.rows(fieldB, fieldBRow, width)
	acc := make([][]neon.V, height)
	for r := range acc {
		for range width {
			v := f.Vec()
			f.Zero(v)
			acc[r] = append(acc[r], v)
		}
	}
	groups, at, n := f.field(fieldGroups), f.Reg(), f.Reg()
	step := func(load func(v neon.V, p neon.R)) {
		bv := make([]neon.V, width)
		for c := range bv {
			bv[c] = f.Vec()
			load(bv[c], b[c])
		}
		for r := range acc {
			av := f.Vec()
			load(av, a[r])
			for c := range bv {
				f.V3(neon.FMLA, acc[r][c], av, bv[c])
			}
		}
	}
	f.Label(label + "group")
	f.Asm("MOVD", 0, at)
	f.Asm("MOVD", neon.Mem{Base: f.d, Disp: fieldN}, n)
	f.Asm("SUBS", 4, n, n)
	f.Branch("BLT", label+"tail")
	f.Label(label + "loop")
	step(func(v neon.V, p neon.R) { f.LoadAt(v, p, at) })
	f.Asm("ADD", 16, at, at)
	f.Asm("SUBS", 4, n, n)
	f.Branch("BGE", label+"loop")
	f.Label(label + "tail")
	f.Asm("ADDS", 4, n, n)
	f.Branch("BEQ", label+"next")
	f.Label(label + "last")
	step(func(v neon.V, p neon.R) { f.Load1At(v, p, at) })
	f.Asm("ADD", 4, at, at)
	f.Asm("SUBS", 1, n, n)
	f.Branch("BNE", label+"last")
	f.Label(label + "next")
	f.advance(a, fieldAGroup)
	f.advance(b, fieldBGroup)
	f.Asm("SUBS", 1, groups, groups)
	f.Branch("BNE", label+"group")
	f.sums(acc, label)
}

// advance moves pointers by a field's number of floats.
func (f fields) advance(pointers []neon.R, offset int) {
	step := f.bytes(offset)
	for _, p := range pointers {
		f.Asm("ADD", step, p, p)
	}
}

// sums adds the lanes of each sum, pairwise, and writes the results. Four sums are a vector.
func (f fields) sums(acc [][]neon.V, label string) {
	c, cRow, add := f.field(fieldC), f.bytes(fieldCRow), f.field(fieldAdd)
	cols := f.field(fieldCols)
	for r, v := range acc {
		for len(v) < 4 {
			v = append(v[:len(v):len(v)], v[len(v)-1])
		}
		sum, other, old := f.Vec(), f.Vec(), f.Vec()
		f.V3(neon.FADDP, sum, v[0], v[1])
		f.V3(neon.FADDP, other, v[2], v[3])
		f.V3(neon.FADDP, sum, sum, other)
		store := fmt.Sprint(label, "store", r)
		f.Branch("CBZ", store, add)
		f.LoadPart(old, neon.Mem{Base: c}, cols)
		f.V3(neon.FADD, sum, sum, old)
		f.Label(store)
		f.StorePart(sum, neon.Mem{Base: c}, cols)
		f.Asm("ADD", cRow, c, c)
	}
	f.Return()
}
