package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

// gather copies two vectors of every row at a time, then single ones and the rest.
func gather(file *neon.File) {
	f := file.Func("gatherNEON", "func(dst *float32, dstRow int, src *float32, offsets *int32, count, n int)", 0,
		"copies src[offsets[k]:][:n] to dst[k*dstRow:][:n] for every k in [0, count), count > 0.")
	dst, dstRow, src, offsets := f.Param("dst"), f.Param("dstRow"), f.Param("src"), f.Param("offsets")
	count, n := f.Param("count"), f.Param("n")
	f.Asm("LSL", 2, dstRow, dstRow)
	rows := func(label string, vectors int, part bool) {
		k, to, offset := f.Reg(), f.Reg(), f.Reg()
		f.Asm("MOVD", count, k)
		f.Asm("MOVD", dst, to)
		f.Asm("MOVD", offsets, offset)
		f.Label(label)
		at := f.Reg()
		f.Asm("MOVW.P", neon.Mem{Base: offset, Disp: 4}, at)
		f.Asm("LSL", 2, at, at)
		f.Asm("ADD", src, at, at)
		for i := range vectors {
			v := f.Vec()
			if part {
				f.LoadPart(v, neon.Mem{Base: at}, n)
				f.StorePart(v, neon.Mem{Base: to}, n)
			} else {
				f.Load(v, neon.Mem{Base: at, Disp: 16 * i})
				f.Store(v, neon.Mem{Base: to, Disp: 16 * i})
			}
		}
		f.Asm("ADD", dstRow, to, to)
		f.Asm("SUBS", 1, k, k)
		f.Branch("BNE", label)
	}
	for _, vectors := range []int{2, 1} {
		label := []string{"", "one", "two"}[vectors]
		f.Asm("SUBS", 4*vectors, n, n)
		f.Branch("BLT", label+"Done")
		f.Label(label)
		rows(label+"Loop", vectors, false)
		f.Asm("ADD", 16*vectors, dst, dst)
		f.Asm("ADD", 16*vectors, src, src)
		f.Asm("SUBS", 4*vectors, n, n)
		f.Branch("BGE", label)
		f.Label(label + "Done")
		f.Asm("ADD", 4*vectors, n, n)
	}
	f.Branch("CBZ", "done", n)
	rows("rest", 1, true)
	f.Label("done")
	f.Return()
}

// collect sums one vector of columns at a time. Most terms have all of its elements. Of others, the elements are added
// one by one.
func collect(file *neon.File) {
	f := file.Func("collectNEON",
		"func(dst *float32, dstChannel int, src *float32, srcChannel, channels int, terms *int32, count, n, width int)", 0,
		"is collect for channels > 0. A term is two int32.")
	dst0, dstChannel, src, srcChannel := f.Param("dst"), f.Param("dstChannel"), f.Param("src"), f.Param("srcChannel")
	channels, terms, count := f.Param("channels"), f.Param("terms"), f.Param("count")
	n, width := f.Param("n"), f.Param("width")
	f.Asm("LSL", 2, dstChannel, dstChannel)
	f.Asm("LSL", 2, srcChannel, srcChannel)
	f.Label("channel")
	base, dst := f.Reg(), f.Reg()
	f.Asm("MOVD", 0, base)
	f.Asm("MOVD", dst0, dst)
	f.Label("columns")
	acc, k, term := f.Vec(), f.Reg(), f.Reg()
	f.Zero(acc)
	f.Asm("MOVD", count, k)
	f.Asm("MOVD", terms, term)
	f.Branch("CBZ", "store", k)

	f.Label("term")
	// Elements [low, high) of this vector have the term.
	at, low, high := f.Reg(), f.Reg(), f.Reg()
	f.Asm("MOVW.P", neon.Mem{Base: term, Disp: 4}, at)
	f.Asm("MOVW.P", neon.Mem{Base: term, Disp: 4}, low)
	f.Asm("ADD", base, at, at)
	f.Asm("LSL", 2, at, at)
	f.Asm("ADD", src, at, at)
	f.Asm("SUB", base, low, low)
	f.Asm("ADD", width, low, high)
	x := f.Vec()
	f.Asm("CMP", 0, low)
	f.Branch("BGT", "part")
	f.Asm("CMP", 4, high)
	f.Branch("BLT", "part")
	f.Load(x, neon.Mem{Base: at})
	f.Branch("JMP", "add")
	f.Label("part")
	collectPart(f, x, at, low, high)
	f.Label("add")
	f.V3(neon.FADD, acc, acc, x)
	f.Asm("SUBS", 1, k, k)
	f.Branch("BNE", "term")

	f.Label("store")
	left := f.Reg()
	f.Asm("SUB", base, n, left)
	f.Asm("CMP", 4, left)
	f.Branch("BLT", "last")
	f.Store(acc, neon.Mem{Base: dst})
	f.Asm("ADD", 16, dst, dst)
	f.Asm("ADD", 4, base, base)
	f.Asm("CMP", n, base)
	f.Branch("BLT", "columns")
	f.Branch("JMP", "next")
	f.Label("last")
	f.StorePart(acc, neon.Mem{Base: dst}, left)
	f.Label("next")
	f.Asm("ADD", dstChannel, dst0, dst0)
	f.Asm("ADD", srcChannel, src, src)
	f.Asm("SUBS", 1, channels, channels)
	f.Branch("BNE", "channel")
	f.Return()
}

// collectPart reads elements [low, high) of a vector and sets the others to 0.
func collectPart(f *neon.Func, x neon.V, at, low, high neon.R) {
	f.Zero(x)
	for lane := range 4 {
		skip := f.Unique("skip")
		f.Asm("CMP", lane, low)
		f.Branch("BGT", skip)
		f.Asm("CMP", lane, high)
		f.Branch("BLE", skip)
		p := f.Reg()
		f.Asm("ADD", 4*lane, at, p)
		f.LoadLane(x, lane, p)
		f.Label(skip)
	}
}
