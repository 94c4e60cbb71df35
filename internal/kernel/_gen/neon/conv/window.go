package main

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// The fields of conv.window.
const (
	windowA, windowB, windowC, windowStart, windowOffsets = 0, 24, 48, 72, 96
	windowBNext, windowCNext, windowCRow                  = 120, 128, 136
	windowRows, windowK, windowCols, windowAdd            = 144, 152, 160, 176
)

// windowUnroll is the number of terms that one round of the loop adds.
const windowUnroll = 4

// window computes a conv.window: one loop for every number of rows, of two vectors and of one.
func window(file *neon.File, maxRows int) {
	f := file.Func("windowNEON", "func(d *byte)", 0, fmt.Sprintf("computes d, a window of at most %d rows.", maxRows))
	d := fields{f, f.Param("d")}
	rows, second := d.field(windowRows), d.field(windowCols+8)
	f.Branch("CBZ", "one", second)
	for _, mode := range []string{"two", "one"} {
		f.Label(mode)
		for r := maxRows; r > 1; r-- {
			f.Asm("CMP", r, rows)
			f.Branch("BEQ", fmt.Sprint(mode, r))
		}
		f.Branch("JMP", mode+"1")
	}
	for r := maxRows; r >= 1; r-- {
		windowLoop(d, "two", r, 2)
		windowLoop(d, "one", r, 1)
	}
}

func windowLoop(f fields, mode string, rows, vectors int) {
	label := fmt.Sprint(mode, rows)
	f.Label(label)
	acc := make([][]neon.V, rows)
	for r := range acc {
		for range vectors {
			acc[r] = append(acc[r], f.Vec())
		}
	}
	f.begin(label, acc)
	a, offsets, k := f.field(windowA), f.field(windowOffsets), f.field(windowK)
	b := []neon.R{f.field(windowB)}
	if vectors == 2 {
		b = append(b, f.after(b[0], windowBNext))
	}
	terms := func(n int) {
		for i := range n {
			f.term(acc, neon.Mem{Base: a, Disp: 4 * i * rows}, offsets, b)
		}
		f.Asm("ADD", 4*rows*n, a, a)
	}
	f.Asm("SUBS", windowUnroll, k, k)
	f.Branch("BLT", label+"rest")
	f.Label(label + "loop")
	terms(windowUnroll)
	f.Asm("SUBS", windowUnroll, k, k)
	f.Branch("BGE", label+"loop")
	f.Label(label + "rest")
	f.Asm("ADDS", windowUnroll, k, k)
	f.Branch("BEQ", label+"end")
	f.Label(label + "last")
	terms(1)
	f.Asm("SUBS", 1, k, k)
	f.Branch("BNE", label+"last")
	f.Label(label + "end")
	f.finish(label, acc)
}

// begin sets the sums to Start or to 0.
func (f fields) begin(label string, acc [][]neon.V) {
	start, n := f.field(windowStart), f.field(windowStart+8)
	f.Branch("CBZ", label+"zero", n)
	for r, row := range acc {
		f.Load1(row[0], neon.Mem{Base: start, Disp: 4 * r})
		f.Lane(row[0], row[0], 0)
		if len(row) == 2 {
			f.Move(row[1], row[0])
		}
	}
	f.Branch("JMP", label+"begin")
	f.Label(label + "zero")
	for _, row := range acc {
		for _, v := range row {
			f.Zero(v)
		}
	}
	f.Label(label + "begin")
}

// term adds the products of a column of A, which is contiguous, and the vectors at the next offset from each b.
func (f fields) term(acc [][]neon.V, a neon.Mem, offsets neon.R, b []neon.R) {
	at := f.Reg()
	f.Asm("MOVW.P", neon.Mem{Base: offsets, Disp: 4}, at)
	f.Asm("LSL", 2, at, at)
	var bv []neon.V
	for _, p := range b {
		v := f.Vec()
		f.LoadAt(v, p, at)
		bv = append(bv, v)
	}
	for r, row := range acc {
		x := f.Vec()
		f.Load1(x, neon.Mem{Base: a.Base, Disp: a.Disp + 4*r})
		for j, v := range bv {
			f.MulAdd(row[j], v, x, 0)
		}
	}
}

// finish writes the sums, or adds them to what is there.
func (f fields) finish(label string, acc [][]neon.V) {
	c, cols := []neon.R{f.field(windowC)}, []neon.R{f.field(windowCols)}
	row, add, all := f.bytes(windowCRow), f.field(windowAdd), f.Reg()
	f.Asm("MOVD", cols[0], all)
	if len(acc[0]) == 2 {
		c, cols = append(c, f.after(c[0], windowCNext)), append(cols, f.field(windowCols+8))
		f.Asm("ADD", cols[1], all, all)
	}
	write := func(load, store func(v neon.V, i int)) {
		for _, sums := range acc {
			for i, v := range sums {
				if load != nil {
					old := f.Vec()
					load(old, i)
					f.V3(neon.FADD, v, v, old)
				}
				store(v, i)
			}
			for _, p := range c {
				f.Asm("ADD", row, p, p)
			}
		}
		f.Return()
	}
	load := func(v neon.V, i int) { f.Load(v, neon.Mem{Base: c[i]}) }
	store := func(v neon.V, i int) { f.Store(v, neon.Mem{Base: c[i]}) }
	loadPart := func(v neon.V, i int) { f.LoadPart(v, neon.Mem{Base: c[i]}, cols[i]) }
	storePart := func(v neon.V, i int) { f.StorePart(v, neon.Mem{Base: c[i]}, cols[i]) }

	f.Asm("CMP", 4*len(c), all)
	f.Branch("BNE", label+"masked")
	f.Branch("CBZ", label+"store", add)
	write(load, store)
	f.Label(label + "store")
	write(nil, store)
	f.Label(label + "masked")
	f.Branch("CBZ", label+"part", add)
	write(loadPart, storePart)
	f.Label(label + "part")
	write(nil, storePart)
}
