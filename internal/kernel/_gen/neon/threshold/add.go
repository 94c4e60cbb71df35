package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

// addTimes adds a vector times a factor, and keeps the largest magnitude. As whole numbers, the bits of magnitudes are
// in the order of the numbers, and those of NaN are above them.
func addTimes(file *neon.File) {
	f := file.Func("addTimesNEON", "func(x, u *float32, n int, times float32) (result float32)", 0,
		"is Set.AddTimes for n a multiple of 16.")
	x, u, n, times := f.Param("x"), f.Param("u"), f.Param("n"), f.Broadcast("times")
	largest := make([]neon.V, vectors)
	for j := range largest {
		largest[j] = zero(f)
	}
	f.Branch("CBZ", "done", n)
	f.Label("loop")
	by := load(f, u)
	for j, v := range load(f, x) {
		f.V3(neon.FMUL, by[j], by[j], times)
		f.V3(neon.FADD, v, v, by[j])
		f.Store(v, neon.Mem{Base: x, Disp: 16 * j})
		f.V2(neon.FABS, v, v)
		f.V3(neon.UMAX, largest[j], largest[j], v)
	}
	f.Asm("ADD", 64, x, x)
	f.Asm("ADD", 64, u, u)
	f.Asm("SUBS", 16, n, n)
	f.Branch("BNE", "loop")
	f.Label("done")
	most := of2(f, neon.UMAX, of2(f, neon.UMAX, largest[0], largest[1]), of2(f, neon.UMAX, largest[2], largest[3]))
	f.V2(neon.UMAXV, most, most)
	f.Asm("FMOVS", most, f.Result("result"))
	f.Return()
}
