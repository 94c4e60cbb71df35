package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// taps emits func(dst, x *float32, at *int32, w *float32, s float32, count, n int): dst[i] = s + Σ w[t]·x[at[t]+i], for
// blocks of elements that stay in registers.
func (b *builder) taps() {
	b.kernel("taps", "func(dst, x *float32, at *int32, w *float32, s float32, count, n int)", 0, func(b *builder) {
		dst, x := b.Load(b.Param("dst"), b.GP64()), b.Load(b.Param("x"), b.GP64())
		at, w := b.Load(b.Param("at"), b.GP64()), b.Load(b.Param("w"), b.GP64())
		count := b.Load(b.Param("count"), b.GP64())
		start := b.broadcast("s")
		b.streamBlocks(4, func(i reg.Register, vectors int, t *tail) {
			sums := make([]vec, vectors)
			for j := range sums {
				sums[j] = b.copy(start)
			}
			tap, from, loop, done := b.GP64(), b.GP64(), b.label("taps"), b.label("summed")
			b.XORQ(tap, tap)
			b.CMPQ(tap, count)
			b.JGE(operand.LabelRef(done))
			b.Label(loop)
			b.MOVLQSX(operand.Mem{Base: at, Index: tap, Scale: 4}, from)
			b.ADDQ(i, from)
			weight := b.vec()
			b.VBROADCASTSS(operand.Mem{Base: w, Index: tap, Scale: 4}, weight)
			for j := range sums {
				if m := b.at(x, from, j); t == nil {
					b.VFMADD231PS(m, weight, sums[j])
				} else {
					b.VFMADD231PS(b.fetch(m, t), weight, sums[j])
				}
			}
			b.INCQ(tap)
			b.CMPQ(tap, count)
			b.JLT(operand.LabelRef(loop))
			b.Label(done)
			for j := range sums {
				b.store(sums[j], b.at(dst, i, j), t)
			}
		})
		b.finish()
	})
}

// unzip emits func(even, odd, a *float32, n int): even[i] = a[2i], odd[i] = a[2i+1].
func (b *builder) unzip() {
	b.kernel("unzip", "func(even, odd, a *float32, n int)", 0, func(b *builder) {
		even, odd := b.Load(b.Param("even"), b.GP64()), b.Load(b.Param("odd"), b.GP64())
		a := b.Load(b.Param("a"), b.GP64())
		order := [2]vec{b.pairOrder(0, 2), b.pairOrder(1, 2)}
		b.eachPair(func(i reg.Register) {
			low := operand.Mem{Base: a, Index: i, Scale: 8}
			high := low.Offset(4 * b.width)
			for k, to := range []reg.Register{even, odd} {
				v := b.copy(low)
				if b.avx512() {
					b.VPERMT2PS(high, order[k], v)
				} else {
					b.VSHUFPS(operand.U8(0x88+0x55*k), high, v, v)
					b.VPERMPD(operand.U8(0xd8), v, v)
				}
				b.VMOVUPS(v, b.at(to, i, 0))
			}
		}, func(i, x reg.Register) {
			for k, to := range []reg.Register{even, odd} {
				b.MOVL(operand.Mem{Base: a, Index: i, Scale: 8, Disp: 4 * k}, x)
				b.MOVL(x, operand.Mem{Base: to, Index: i, Scale: 4})
			}
		})
	})
}

// zip emits func(dst, even, odd *float32, n int): dst[2i] = even[i], dst[2i+1] = odd[i].
func (b *builder) zip() {
	b.kernel("zip", "func(dst, even, odd *float32, n int)", 0, func(b *builder) {
		dst := b.Load(b.Param("dst"), b.GP64())
		even, odd := b.Load(b.Param("even"), b.GP64()), b.Load(b.Param("odd"), b.GP64())
		order := [2]vec{b.zipOrder(0), b.zipOrder(b.width / 2)}
		b.eachPair(func(i reg.Register) {
			x, y := b.at(even, i, 0), b.at(odd, i, 0)
			to := operand.Mem{Base: dst, Index: i, Scale: 8}
			if b.avx512() {
				for k, order := range order {
					v := b.copy(x)
					b.VPERMT2PS(y, order, v)
					b.VMOVUPS(v, to.Offset(4*b.width*k))
				}
				return
			}
			v, low, high, out := b.copy(x), b.vec(), b.vec(), b.vec()
			b.VUNPCKLPS(y, v, low)
			b.VUNPCKHPS(y, v, high)
			b.VPERM2F128(operand.U8(0x20), high, low, out)
			b.VMOVUPS(out, to)
			b.VPERM2F128(operand.U8(0x31), high, low, out)
			b.VMOVUPS(out, to.Offset(4*b.width))
		}, func(i, x reg.Register) {
			for k, from := range []reg.Register{even, odd} {
				b.MOVL(operand.Mem{Base: from, Index: i, Scale: 4}, x)
				b.MOVL(x, operand.Mem{Base: dst, Index: i, Scale: 8, Disp: 4 * k})
			}
		})
	})
}

// eachPair emits the loops over n pairs: a vector of pairs at a time, and the rest one by one.
func (b *builder) eachPair(vector func(i reg.Register), single func(i, x reg.Register)) {
	i, n, x := b.GP64(), b.GP64(), b.GP32()
	b.XORQ(i, i)
	b.Load(b.Param("n"), n)
	loop, rest, one, done := b.label("loop"), b.label("rest"), b.label("one"), b.label("done")
	b.SUBQ(operand.U8(b.width), n)
	b.JLT(operand.LabelRef(rest))
	b.Label(loop)
	vector(i)
	b.ADDQ(operand.U8(b.width), i)
	b.SUBQ(operand.U8(b.width), n)
	b.JGE(operand.LabelRef(loop))
	b.Label(rest)
	b.ADDQ(operand.U8(b.width), n)
	b.JZ(operand.LabelRef(done))
	b.Label(one)
	single(i, x)
	b.INCQ(i)
	b.DECQ(n)
	b.JNZ(operand.LabelRef(one))
	b.Label(done)
	b.finish()
}

// pairOrder returns the numbers first, first+step, … of the elements of two vectors; nil for AVX2, which does without.
func (b *builder) pairOrder(first, step int) vec {
	words := make([]uint64, b.width/2)
	for i := range words {
		words[i] = uint64(first+(2*i+1)*step)<<32 | uint64(first+2*i*step)
	}
	return b.numbers(words)
}

// zipOrder returns the numbers of the elements of two vectors in turn, from first on.
func (b *builder) zipOrder(first int) vec {
	words := make([]uint64, b.width/2)
	for i := range words {
		words[i] = uint64(b.width+first+i)<<32 | uint64(first+i)
	}
	return b.numbers(words)
}

func (b *builder) numbers(words []uint64) vec {
	if !b.avx512() {
		return nil
	}
	b.labels++
	return b.copy(b.table(b.label("order"), words))
}
