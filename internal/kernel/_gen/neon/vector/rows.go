package main

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
)

// addRows emits func(dst, a *float32, n, rows int): dst[j] += Σ a[i·n + j], for blocks of columns that stay in
// registers.
func addRows(file *neon.File) {
	b := &builder{file.Func("addRowsNEON", "func(dst, a *float32, n, rows int)", 0, "")}
	dst, a, n, rows := b.Param("dst"), b.Param("a"), b.Param("n"), b.Param("rows")
	stride := b.Reg()
	b.Asm("LSL", 2, n, stride)
	b.stream(4, n, []neon.R{dst, a}, func(vectors int, t *tail) {
		sums := make([]vec, vectors)
		for j := range sums {
			sums[j] = b.fetch(dst, j, t)
		}
		p, left := b.register(a), b.register(rows)
		loop, done := b.Unique("rows"), b.Unique("summed")
		b.Branch("CBZ", done, left)
		b.Label(loop)
		for j := range sums {
			b.V3(neon.FADD, sums[j], sums[j], b.fetch(p, j, t))
		}
		b.Asm("ADD", stride, p, p)
		b.Asm("SUBS", 1, left, left)
		b.Branch("BNE", loop)
		b.Label(done)
		for j := range sums {
			b.put(sums[j], dst, j, t)
		}
	})
	b.Return()
}

// uniform emits func(dst *float32, k0, k1, first uint32, n int): elements first, first+1, … of the block of a stream
// with the keys k0 and k1, by random.Uniform's formula.
func uniform(file *neon.File) {
	b := &builder{file.Func("uniformNEON", "func(dst *float32, k0, k1, first uint32, n int)", 8, "")}
	dst, k1 := b.Param("dst"), b.Broadcast("k1")
	start := b.of2(neon.ADD, b.Broadcast("k0"), b.Broadcast("first"))
	index := b.of2(neon.ADD, start, b.Words([4]uint32{0, 1, 2, 3}))
	xorShift := func(x vec, n int) vec { return b.of2(neon.EOR, x, b.shift(neon.USHR, x, n)) }
	times := func(x vec, factor uint32) vec { return b.of2(neon.MUL, x, b.Const(factor)) }
	b.stream(1, b.Param("n"), []neon.R{dst}, func(_ int, t *tail) {
		x := times(xorShift(index, 17), 0xed5ad4bb)
		x = b.of2(neon.EOR, x, k1)
		x = times(xorShift(x, 11), 0xac4c1b51)
		x = times(xorShift(x, 15), 0x31848bab)
		x = b.shift(neon.USHR, xorShift(x, 14), 8)
		b.put(b.mul(b.of1(neon.SCVTF, x), b.c(0x1p-24)), dst, 0, t)
		b.V3(neon.ADD, index, index, b.Const(width))
	})
	b.Return()
}

// softmax emits func(dst, x *float32, rows, n int): e^(x-max)/Σ e^(x-max) of each row of n elements.
func softmax(file *neon.File) {
	b := &builder{file.Func("softmaxNEON", "func(dst, x *float32, rows, n int)", 16, "")}
	dst0, x0, rows, n0 := b.Param("dst"), b.Param("x"), b.Param("rows"), b.Param("n")
	least := math.Inf(-1)
	b.Label("row")
	x := b.register(x0)
	most := b.copy(b.c(least))
	b.stream(1, b.register(n0), []neon.R{x}, func(_ int, t *tail) {
		b.Move(most, largest(b, b.fetchOr(least, x, t), most))
	})
	most = b.all(b.fold([]vec{most}, true))

	from, to, sum := b.register(x0), b.register(dst0), b.zero()
	b.stream(1, b.register(n0), []neon.R{from, to}, func(_ int, t *tail) {
		e := b.exp(b.sub(b.fetchOr(least, from, t), most))
		b.put(e, to, 0, t)
		b.V3(neon.FADD, sum, sum, e)
	})
	sum = b.all(b.fold([]vec{sum}, false))

	result := b.register(dst0)
	b.stream(1, b.register(n0), []neon.R{result}, func(_ int, t *tail) {
		b.put(b.div(b.fetch(result, 0, t), sum), result, 0, t)
	})
	stride := b.Reg()
	b.Asm("LSL", 2, n0, stride)
	b.Asm("ADD", stride, x0, x0)
	b.Asm("ADD", stride, dst0, dst0)
	b.Asm("SUBS", 1, rows, rows)
	b.Branch("BNE", "row")
	b.Return()
}
