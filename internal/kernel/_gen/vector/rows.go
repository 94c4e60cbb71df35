package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// addRows emits func(dst, a *float32, n, rows int): dst[j] += Σ a[i·n + j], for blocks of columns that stay in registers.
func (b *builder) addRows() {
	b.kernel("addRows", "func(dst, a *float32, n, rows int)", 0, func(b *builder) {
		dst := b.Load(b.Param("dst"), b.GP64())
		a := b.Load(b.Param("a"), b.GP64())
		stride := b.Load(b.Param("n"), b.GP64())
		b.SHLQ(operand.U8(2), stride)
		rows := b.Load(b.Param("rows"), b.GP64())
		b.streamBlocks(4, func(i reg.Register, vectors int, t *tail) {
			sums := make([]vec, vectors)
			for j := range sums {
				sums[j] = b.fetch(b.at(dst, i, j), t)
			}
			p, left, loop, done := b.GP64(), b.GP64(), b.label("rows"), b.label("summed")
			b.MOVQ(a, p)
			b.MOVQ(rows, left)
			b.TESTQ(left, left)
			b.JZ(operand.LabelRef(done))
			b.Label(loop)
			for j := range sums {
				if t == nil {
					b.VADDPS(b.at(p, i, j), sums[j], sums[j])
				} else {
					b.VADDPS(b.fetch(b.at(p, i, j), t), sums[j], sums[j])
				}
			}
			b.ADDQ(stride, p)
			b.DECQ(left)
			b.JNZ(operand.LabelRef(loop))
			b.Label(done)
			for j := range sums {
				b.store(sums[j], b.at(dst, i, j), t)
			}
		})
		b.finish()
	})
}

// uniform emits func(dst *float32, k0, k1, first uint32, n int): elements first, first+1, … of the block of a stream
// with the keys k0 and k1, by random.Uniform's formula.
func (b *builder) uniform() {
	registers := 8
	if !b.avx512() {
		registers = 4
	}
	b.kernel("uniform", "func(dst *float32, k0, k1, first uint32, n int)", registers, func(b *builder) {
		dst := b.Load(b.Param("dst"), b.GP64())
		k1 := b.broadcast("k1")
		index := b.addInt(b.addInt(b.broadcast("k0"), b.broadcast("first")), b.count())
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			x := b.mulInt(b.xorShift(index, 17), b.bits(0xed5ad4bb))
			x = b.xor(x, k1)
			x = b.mulInt(b.xorShift(x, 11), b.bits(0xac4c1b51))
			x = b.mulInt(b.xorShift(x, 15), b.bits(0x31848bab))
			x = b.shift(b.VPSRLD, b.xorShift(x, 14), 8)
			b.store(b.mul(b.toFloat(x), b.c(0x1p-24)), b.at(dst, i, 0), t)
			b.VPADDD(b.bits(uint32(b.width)), index, index)
		})
		b.finish()
	})
}

func (b *builder) xorShift(x vec, n int) vec { return b.xor(x, b.shift(b.VPSRLD, x, n)) }

// count returns 0, 1, 2, …
func (b *builder) count() vec {
	words := make([]uint64, b.width/2)
	for i := range words {
		words[i] = uint64(2*i+1)<<32 | uint64(2*i)
	}
	return b.copy(b.table("count", words))
}
