// Command threshold writes the kernels of the threshold codec for arm64.
package main

import "github.com/dl4go/dl4go/internal/kernel/_gen/neon"

func main() {
	f := neon.New("words")
	find(f)
	count(f)
	encodeBitmap(f)
	encodeScaled(f)
	addBitmap(f)
	addTimes(f)
	countBitmap(f)
	countMarks(f)
	f.Generate()
}

// vectors is the number of vectors of a word of a bitmap.
const vectors = 4

// of2 returns the result of an instruction.
func of2(f *neon.Func, op neon.Op, n, m neon.V) neon.V {
	v := f.Vec()
	f.V3(op, v, n, m)
	return v
}

// choose returns yes where the mask is set, no elsewhere.
func choose(f *neon.Func, mask, yes, no neon.V) neon.V {
	v := f.Vec()
	f.Move(v, mask)
	f.V3(neon.BSL, v, yes, no)
	return v
}

// load reads the vectors of a word.
func load(f *neon.Func, x neon.R) []neon.V {
	out := make([]neon.V, vectors)
	for j := range out {
		out[j] = f.Vec()
		f.Load(out[j], neon.Mem{Base: x, Disp: 16 * j})
	}
	return out
}

// join returns the bits that any of the vectors has.
func join(f *neon.Func, v []neon.V) neon.V {
	return of2(f, neon.ORR, of2(f, neon.ORR, v[0], v[1]), of2(f, neon.ORR, v[2], v[3]))
}

// zero returns a vector of zeros.
func zero(f *neon.Func) neon.V {
	v := f.Vec()
	f.Zero(v)
	return v
}

// weights returns the bits of a word that stand for the elements of each vector.
func weights(f *neon.Func) []neon.V {
	out := make([]neon.V, vectors)
	for j := range out {
		out[j] = f.Words([4]uint32{1 << (4 * j), 2 << (4 * j), 4 << (4 * j), 8 << (4 * j)})
	}
	return out
}

// result returns the sum of a vector's elements.
func result(f *neon.Func, sum neon.V, name string) {
	total, n := f.Vec(), f.Reg()
	f.V2(neon.UADDLV, total, sum)
	f.Asm("FMOVD", total, n)
	f.Asm("MOVD", n, f.Result(name))
	f.Return()
}
