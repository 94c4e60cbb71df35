// Command pool writes the kernels of pooling for arm64.
package main

import (
	"strings"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

type vec = neon.V

// row emits the code for one vector of windows of 2 by 2 cells, 2 apart. upper and lower are the cells of both rows.
type row struct {
	*neon.Func
	upper, lower, y, dy neon.R // places of the next windows
	dx                  [2]neon.R
}

// kernel computes windows. Pointers are those of row, by name.
type kernel struct {
	name, pointers string
	of             func(r row)
}

var kernels = []kernel{
	{"max", "x y", func(r row) {
		x := r.cells()
		r.Store(r.largest(r.largest(x[0], x[2]), r.largest(x[1], x[3])), neon.Mem{Base: r.y})
	}},
	{"maxGrad", "x y dy dx", func(r row) {
		x, y, dy := r.cells(), r.load(r.y), r.load(r.dy)
		for i := range x {
			// A NaN in the window makes y NaN. The first NaN then gets the gradient.
			is := r.of2(neon.ORN, r.of2(neon.FCMEQ, x[i], y), r.of2(neon.FCMEQ, x[i], x[i]))
			x[i] = r.of2(neon.AND, dy, is)
			dy = r.of2(neon.BIC, dy, is)
		}
		r.spread(x)
	}},
	{"average", "x y", func(r row) {
		x := r.cells()
		sum := r.of2(neon.FADD, r.of2(neon.FADD, r.of2(neon.FADD, x[0], x[1]), x[2]), x[3])
		r.Store(r.of2(neon.FMUL, sum, r.Const(quarter)), neon.Mem{Base: r.y})
	}},
	{"averageGrad", "dy dx", func(r row) {
		d := r.of2(neon.FMUL, r.load(r.dy), r.Const(quarter))
		r.spread([4]vec{d, d, d, d})
	}},
}

const quarter = 0x3e800000 // 0.25

func main() {
	f := neon.New("words")
	for _, k := range kernels {
		k.emit(f)
	}
	f.Generate()
}

func (r row) of2(op neon.Op, n, m vec) vec {
	v := r.Vec()
	r.V3(op, v, n, m)
	return v
}

func (r row) load(p neon.R) vec {
	v := r.Vec()
	r.Load(v, neon.Mem{Base: p})
	return v
}

// largest returns x where x > y or x is NaN, y elsewhere.
func (r row) largest(x, y vec) vec {
	v := r.of2(neon.ORN, r.of2(neon.FCMGT, x, y), r.of2(neon.FCMEQ, x, x))
	r.V3(neon.BSL, v, x, y)
	return v
}

// cells returns the four cells of each window, in row-major order.
func (r row) cells() (x [4]vec) {
	for i, p := range []neon.R{r.upper, r.lower} {
		first, second := r.Vec(), r.Vec()
		r.Load(first, neon.Mem{Base: p})
		r.Load(second, neon.Mem{Base: p, Disp: 16})
		x[2*i], x[2*i+1] = r.of2(neon.UZP1, first, second), r.of2(neon.UZP2, first, second)
	}
	return x
}

// spread writes the cells.
func (r row) spread(x [4]vec) {
	for i, p := range r.dx {
		r.Store(r.of2(neon.ZIP1, x[2*i], x[2*i+1]), neon.Mem{Base: p})
		r.Store(r.of2(neon.ZIP2, x[2*i], x[2*i+1]), neon.Mem{Base: p, Disp: 16})
	}
}

// emit emits func(pointers… *float32, rows, in, out int): rows pairs of rows of in cells, with out windows each. The
// last vector of windows of a row overlaps the one before it if out is no multiple of 4.
func (k kernel) emit(file *neon.File) {
	pointers := strings.Fields(k.pointers)
	f := file.Func(k.name+"NEON", "func("+strings.Join(pointers, ", ")+" *float32, rows, in, out int)", 1,
		"computes pairs of rows of in cells, with out windows each. There are rows, and out is at least 4.")
	base, stride, width := map[string]neon.R{}, f.Reg(), f.Reg()
	for _, p := range pointers {
		base[p] = f.Param(p)
	}
	rows, in, out := f.Param("rows"), f.Param("in"), f.Param("out")
	f.Asm("LSL", 2, in, stride)
	f.Asm("LSL", 2, out, width)

	f.Label("row")
	r, cells, windows := begin(f, pointers, base, stride)
	left := f.Reg()
	f.Asm("MOVD", out, left)
	f.Label("block")
	k.of(r)
	move := func(op string, bytes any) {
		for _, p := range windows {
			f.Asm(op, bytes, p, p)
		}
		for range 2 {
			for _, p := range cells {
				f.Asm(op, bytes, p, p)
			}
		}
	}
	move("ADD", 16)
	f.Asm("SUB", 4, left, left)
	f.Asm("CMP", 4, left)
	f.Branch("BGE", "block")
	f.Branch("CBZ", "next", left)
	back := f.Reg()
	f.Asm("LSL", 2, left, left)
	f.Asm("MOVD", 16, back)
	f.Asm("SUB", left, back, back)
	move("SUB", back)
	f.Asm("MOVD", 4, left)
	f.Branch("JMP", "block")

	f.Label("next")
	for _, name := range pointers {
		p := base[name]
		if name == "x" || name == "dx" {
			f.Asm("ADD", stride, p, p)
			f.Asm("ADD", stride, p, p)
		} else {
			f.Asm("ADD", width, p, p)
		}
	}
	f.Asm("SUBS", 1, rows, rows)
	f.Branch("BNE", "row")
	f.Return()
}

// begin sets the pointers of a pair of rows. It returns those to cells and those to windows.
func begin(f *neon.Func, pointers []string, base map[string]neon.R, stride neon.R) (r row, cells, windows []neon.R) {
	at := func(p neon.R) neon.R {
		c := f.Reg()
		f.Asm("MOVD", p, c)
		return c
	}
	below := func(p neon.R) neon.R {
		c := f.Reg()
		f.Asm("ADD", stride, p, c)
		return c
	}
	r.Func = f
	for _, name := range pointers {
		p := base[name]
		switch name {
		case "x":
			r.upper, r.lower = at(p), below(p)
			cells = append(cells, r.upper, r.lower)
		case "dx":
			r.dx = [2]neon.R{at(p), below(p)}
			cells = append(cells, r.dx[:]...)
		case "y":
			r.y = at(p)
			windows = append(windows, r.y)
		case "dy":
			r.dy = at(p)
			windows = append(windows, r.dy)
		}
	}
	return r, cells, windows
}
