package main

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// The fields of gemm.Tile.
const (
	fieldA, fieldB, fieldC, fieldStart                  = 0, 24, 48, 72
	fieldARow, fieldACol, fieldBRow, fieldCRow          = 96, 104, 112, 120
	fieldRows, fieldCols, fieldK, fieldAlpha, fieldBeta = 128, 136, 144, 152, 156
)

// loop is the code for tiles of some rows.
type loop struct {
	*neon.Func
	t, cols neon.R // cols: of the last vector
	label   string
	part    bool // the last vector may not be whole
	acc     [][]neon.V
}

// tile computes a gemm.Tile. For every number of rows it has three loops: for tiles of two whole vectors, for tiles
// whose second vector may not be whole, and for tiles of a single vector.
func tile(file *neon.File, maxRows int) {
	f := file.Func("tileNEON", "func(t *byte)", 0,
		fmt.Sprintf("computes t, a Tile of at most %d rows and two vectors.", maxRows))
	t := f.Param("t")
	cols, rows := f.Reg(), f.Reg()
	f.Asm("MOVD", neon.Mem{Base: t, Disp: fieldCols}, cols)
	f.Asm("MOVD", neon.Mem{Base: t, Disp: fieldRows}, rows)
	f.Asm("CMP", 4, cols)
	f.Branch("BLE", "one")
	f.Asm("SUB", 4, cols, cols)
	f.Asm("CMP", 4, cols)
	f.Branch("BNE", "two")
	for _, mode := range []string{"full", "two", "one"} {
		f.Label(mode)
		for r := maxRows; r > 1; r-- {
			f.Asm("CMP", r, rows)
			f.Branch("BEQ", fmt.Sprint(mode, r))
		}
		f.Branch("JMP", mode+"1")
	}
	for r := maxRows; r >= 1; r-- {
		for _, mode := range []string{"full", "two", "one"} {
			l := loop{Func: f, t: t, cols: cols, label: fmt.Sprint(mode, r), part: mode != "full"}
			vectors := 2
			if mode == "one" {
				vectors = 1
			}
			l.emit(r, vectors)
		}
	}
}

func (l *loop) field(offset int) neon.R {
	r := l.Reg()
	l.Asm("MOVD", neon.Mem{Base: l.t, Disp: offset}, r)
	return r
}

// bytes is a field that counts floats, in bytes.
func (l *loop) bytes(offset int) neon.R {
	r := l.field(offset)
	l.Asm("LSL", 2, r, r)
	return r
}

func (l *loop) load(v neon.V, base neon.R, i int) {
	if l.part && i == len(l.acc[0])-1 {
		l.LoadPart(v, neon.Mem{Base: base, Disp: 16 * i}, l.cols)
	} else {
		l.Load(v, neon.Mem{Base: base, Disp: 16 * i})
	}
}

func (l *loop) store(v neon.V, base neon.R, i int) {
	if l.part && i == len(l.acc[0])-1 {
		l.StorePart(v, neon.Mem{Base: base, Disp: 16 * i}, l.cols)
	} else {
		l.Store(v, neon.Mem{Base: base, Disp: 16 * i})
	}
}

func (l *loop) emit(rows, vectors int) {
	l.Label(l.label)
	l.acc = make([][]neon.V, rows)
	for r := range l.acc {
		for range vectors {
			l.acc[r] = append(l.acc[r], l.Vec())
		}
	}
	l.begin()
	l.sum()
	l.finish()
}

// begin sets the sums to Start or to 0.
func (l *loop) begin() {
	start, n := l.field(fieldStart), l.field(fieldStart+8)
	l.Branch("CBZ", l.label+"zero", n)
	for r, row := range l.acc {
		l.Load1(row[0], neon.Mem{Base: start, Disp: 4 * r})
		l.Lane(row[0], row[0], 0)
		if len(row) == 2 {
			l.Move(row[1], row[0])
		}
	}
	l.Branch("JMP", l.label+"begin")
	l.Label(l.label + "zero")
	for _, row := range l.acc {
		for _, v := range row {
			l.Zero(v)
		}
	}
	l.Label(l.label + "begin")
}

// sum adds the products. Every row has a pointer; the distance from it is the same for all.
func (l *loop) sum() {
	row, step, bStep := l.bytes(fieldARow), l.bytes(fieldACol), l.bytes(fieldBRow)
	b, k := l.field(fieldB), l.field(fieldK)
	a := []neon.R{l.field(fieldA)}
	for len(a) < len(l.acc) {
		p := l.Reg()
		l.Asm("ADD", row, a[len(a)-1], p)
		a = append(a, p)
	}
	at := l.Reg()
	l.Asm("MOVD", 0, at)
	l.Branch("CBZ", l.label+"end", k)
	l.Label(l.label + "loop")
	var bv []neon.V
	for i := range l.acc[0] {
		v := l.Vec()
		l.load(v, b, i)
		bv = append(bv, v)
	}
	for r, sums := range l.acc {
		x := l.Vec()
		l.Load1At(x, a[r], at)
		for i, v := range bv {
			l.MulAdd(sums[i], v, x, 0)
		}
	}
	l.Asm("ADD", step, at, at)
	l.Asm("ADD", bStep, b, b)
	l.Asm("SUBS", 1, k, k)
	l.Branch("BNE", l.label+"loop")
	l.Label(l.label + "end")
}

// finish writes the sums: as they are, times alpha, or with beta times the old elements added.
func (l *loop) finish() {
	c, cRow := l.field(fieldC), l.bytes(fieldCRow)
	alpha, beta, one := l.Reg(), l.Reg(), l.Reg()
	l.Asm("MOVWU", neon.Mem{Base: l.t, Disp: fieldAlpha}, alpha)
	l.Asm("MOVWU", neon.Mem{Base: l.t, Disp: fieldBeta}, beta)
	l.Asm("LSLW", 1, beta, one) // -0 is 0
	l.Branch("CBNZW", l.label+"beta", one)
	l.Asm("MOVW", 0x3f800000, one)
	l.Asm("CMPW", one, alpha)
	l.Branch("BNE", l.label+"alpha")
	l.rows(c, cRow, func(neon.V, int) {})

	l.Label(l.label + "alpha")
	factor := l.Vec()
	l.Dup(factor, alpha)
	l.rows(c, cRow, func(v neon.V, _ int) { l.V3(neon.FMUL, v, v, factor) })

	l.Label(l.label + "beta")
	scale, add := l.Vec(), l.Vec()
	l.Dup(scale, alpha)
	l.Dup(add, beta)
	l.rows(c, cRow, func(v neon.V, i int) {
		l.V3(neon.FMUL, v, v, scale)
		old := l.Vec()
		l.load(old, c, i)
		l.V3(neon.FMLA, v, old, add)
	})
}

// rows changes and writes all sums.
func (l *loop) rows(c, cRow neon.R, change func(v neon.V, i int)) {
	for _, sums := range l.acc {
		for i, v := range sums {
			change(v, i)
			l.store(v, c, i)
		}
		l.Asm("ADD", cRow, c, c)
	}
	l.Return()
}
