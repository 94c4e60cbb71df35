package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

// transpose copies blocks of 4 rows and 4 columns.
func transpose(file *neon.File) {
	f := file.Func("transposeNEON", "func(dst *float32, dstRow int, src *float32, srcRow, rows, cols int)", 0,
		"copies src [rows, cols] to dst [cols, rows], both multiples of 4 and above 0.")
	dst0, dstRow, src0, srcRow := f.Param("dst"), f.Param("dstRow"), f.Param("src"), f.Param("srcRow")
	rows, cols0 := f.Param("rows"), f.Param("cols")
	f.Asm("LSL", 2, dstRow, dstRow)
	f.Asm("LSL", 2, srcRow, srcRow)

	f.Label("rowBlocks")
	dst, cols := f.Reg(), f.Reg()
	f.Asm("MOVD", dst0, dst)
	f.Asm("MOVD", cols0, cols)
	src := []neon.R{f.Reg(), f.Reg(), f.Reg(), f.Reg()}
	f.Asm("MOVD", src0, src[0])
	for i := range 3 {
		f.Asm("ADD", srcRow, src[i], src[i+1])
	}
	f.Label("colBlocks")
	var r []neon.V
	for _, p := range src {
		v := f.Vec()
		f.LoadNext(v, p)
		r = append(r, v)
	}
	for _, v := range swap4(f, r) {
		f.Store(v, neon.Mem{Base: dst})
		f.Asm("ADD", dstRow, dst, dst)
	}
	f.Asm("SUBS", 4, cols, cols)
	f.Branch("BNE", "colBlocks")
	f.Asm("ADD", srcRow, src[3], src0) // the next row, at the last columns
	back := f.Reg()
	f.Asm("LSL", 2, cols0, back)
	f.Asm("SUB", back, src0, src0)
	f.Asm("ADD", 16, dst0, dst0)
	f.Asm("SUBS", 4, rows, rows)
	f.Branch("BNE", "rowBlocks")
	f.Return()
}

// swap4 returns the columns of four rows.
func swap4(f *neon.Func, r []neon.V) []neon.V {
	out := make([]neon.V, 4)
	for i := range out {
		out[i] = f.Vec()
	}
	a, b, c, d := f.Vec(), f.Vec(), f.Vec(), f.Vec()
	f.V3(neon.TRN1, a, r[0], r[1])
	f.V3(neon.TRN2, b, r[0], r[1])
	f.V3(neon.TRN1, c, r[2], r[3])
	f.V3(neon.TRN2, d, r[2], r[3])
	f.V3(neon.TRN1D, out[0], a, c)
	f.V3(neon.TRN1D, out[1], b, d)
	f.V3(neon.TRN2D, out[2], a, c)
	f.V3(neon.TRN2D, out[3], b, d)
	return out
}

// copyRows copies short rows.
func copyRows(file *neon.File) {
	f := file.Func("copyRowsNEON", "func(dst *float32, dstRow int, src *float32, srcRow, rows, n int)", 0,
		"copies src[r*srcRow:][:n] to dst[r*dstRow:][:n] for r in [0, rows), rows > 0, n > 0.")
	dst, dstRow, src, srcRow := f.Param("dst"), f.Param("dstRow"), f.Param("src"), f.Param("srcRow")
	rows, n := f.Param("rows"), f.Param("n")
	f.Asm("LSL", 2, dstRow, dstRow)
	f.Asm("LSL", 2, srcRow, srcRow)
	f.Label("row")
	from, to, left := f.Reg(), f.Reg(), f.Reg()
	f.Asm("MOVD", src, from)
	f.Asm("MOVD", dst, to)
	f.Asm("MOVD", n, left)
	f.Asm("CMP", 4, left)
	f.Branch("BLE", "last")
	f.Label("vector")
	v := f.Vec()
	f.LoadNext(v, from)
	f.Store(v, neon.Mem{Base: to})
	f.Asm("ADD", 16, to, to)
	f.Asm("SUB", 4, left, left)
	f.Asm("CMP", 4, left)
	f.Branch("BGT", "vector")
	f.Label("last")
	v = f.Vec()
	f.LoadPart(v, neon.Mem{Base: from}, left)
	f.StorePart(v, neon.Mem{Base: to}, left)
	f.Asm("ADD", srcRow, src, src)
	f.Asm("ADD", dstRow, dst, dst)
	f.Asm("SUBS", 1, rows, rows)
	f.Branch("BNE", "row")
	f.Return()
}
