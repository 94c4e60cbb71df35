package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

// reaching returns where the elements of 16 reach t. NaN does not.
func reaching(f *neon.Func, x neon.R, t neon.V) []neon.V {
	masks := load(f, x)
	for _, v := range masks {
		f.V3(neon.FACGE, v, v, t)
	}
	return masks
}

// find writes the entries of x.
func find(file *neon.File) {
	f := file.Func("findNEON", "func(dst *int32, room int, x *float32, n int, t float32, base int) (found, seen int)", 0,
		"writes the entries of x, for n a multiple of 16, while there is room for a whole group of 16.")
	dst, room, x, n, base := f.Param("dst"), f.Param("room"), f.Param("x"), f.Param("n"), f.Param("base")
	t := f.Broadcast("t")
	start, from, end, nibbles := f.Reg(), f.Reg(), f.Reg(), f.Reg()
	f.Asm("MOVD", dst, start)
	f.Asm("MOVD", x, from)
	f.Asm("LSL", 2, room, end)
	f.Asm("ADD", dst, end, end)
	f.Asm("SUB", 64, end, end) // the last place with room for a group
	f.Asm("MOVD", "$0x1111111111111111", nibbles)
	f.Asm("ADD", 1, base, base)
	f.Label("loop")
	f.Branch("CBZ", "done", n)
	f.Asm("CMP", end, dst)
	f.Branch("BGT", "done")
	masks := reaching(f, x, t)
	any, hits := join(f, masks), f.Reg()
	f.V2(neon.UMAXV, any, any)
	f.Asm("FMOVS", any, hits)
	f.Branch("CBZW", "next", hits)
	narrow(f, masks)
	f.Asm("FMOVD", masks[0], hits)
	f.Asm("AND", nibbles, hits, hits)
	f.Label("hit")
	entry(f, dst, x, base, hits)
	f.Branch("CBNZ", "hit", hits)
	f.Label("next")
	f.Asm("ADD", 64, x, x)
	f.Asm("ADD", 16, base, base)
	f.Asm("SUB", 16, n, n)
	f.Branch("JMP", "loop")
	f.Label("done")
	for _, p := range [][2]neon.R{{dst, start}, {x, from}} {
		f.Asm("SUB", p[1], p[0], p[0])
		f.Asm("ASR", 2, p[0], p[0])
	}
	f.Asm("MOVD", dst, f.Result("found"))
	f.Asm("MOVD", x, f.Result("seen"))
	f.Return()
}

// narrow sets the low half of the first mask to four bits for each element of all.
func narrow(f *neon.Func, masks []neon.V) {
	low, high := f.Vec(), f.Vec()
	f.V2(neon.XTN, low, masks[0])
	f.V2(neon.XTN2, low, masks[1])
	f.V2(neon.XTN, high, masks[2])
	f.V2(neon.XTN2, high, masks[3])
	f.V2(neon.XTNB, masks[0], low)
	f.V2(neon.XTN2B, masks[0], high)
	f.Narrow(masks[0], masks[0])
}

// entry writes the entry of the first hit and removes it. base is the number of x's first element, plus 1.
func entry(f *neon.Func, dst, x, base, hits neon.R) {
	at, sign, e, rest := f.Reg(), f.Reg(), f.Reg(), f.Reg()
	f.Asm("RBIT", hits, at)
	f.Asm("CLZ", at, at) // 4 times the element: its place in bytes
	f.Asm("ADD", x, at, sign)
	f.Asm("MOVW", neon.Mem{Base: sign}, sign)
	f.Asm("ASR", 31, sign, sign)
	f.Asm("LSR", 2, at, e)
	f.Asm("ADD", base, e, e)
	f.Asm("EOR", sign, e, e)
	f.Asm("SUB", sign, e, e)
	f.Asm("MOVW.P", e, neon.Mem{Base: dst, Disp: 4})
	f.Asm("SUB", 1, hits, rest)
	f.Asm("AND", rest, hits, hits)
}

// count counts the elements that reach t.
func count(file *neon.File) {
	f := file.Func("countNEON", "func(x *float32, n int, t float32) (result int)", 0,
		"counts the elements of x that reach t, for n a multiple of 16.")
	x, n, t := f.Param("x"), f.Param("n"), f.Broadcast("t")
	sums := make([]neon.V, vectors)
	for j := range sums {
		sums[j] = zero(f)
	}
	f.Branch("CBZ", "done", n)
	f.Label("loop")
	for j, mask := range reaching(f, x, t) {
		f.V3(neon.SUB, sums[j], sums[j], mask)
	}
	f.Asm("ADD", 64, x, x)
	f.Asm("SUBS", 16, n, n)
	f.Branch("BNE", "loop")
	f.Label("done")
	sum := of2(f, neon.ADD, of2(f, neon.ADD, sums[0], sums[1]), of2(f, neon.ADD, sums[2], sums[3]))
	result(f, sum, "result")
}
