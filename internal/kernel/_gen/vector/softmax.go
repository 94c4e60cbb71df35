package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// softmax emits func(dst, x *float32, rows, n int): e^(x-max)/Σ e^(x-max) of each row of n elements. A row of one vector
// stays in registers.
func (b *builder) softmax() {
	registers := 20
	if !b.avx512() {
		registers = 2
	}
	b.kernel("softmax", "func(dst, x *float32, rows, n int)", registers, func(b *builder) {
		dst, x := b.Load(b.Param("dst"), b.GP64()), b.Load(b.Param("x"), b.GP64())
		rows, n, stride := b.GP64(), b.GP64(), b.GP64()
		b.Load(b.Param("rows"), rows)
		b.Load(b.Param("n"), n)
		b.MOVQ(n, stride)
		b.SHLQ(operand.U8(2), stride)
		b.TESTQ(rows, rows)
		b.JZ(operand.LabelRef("end"))
		nextRow := func(loop string) {
			b.ADDQ(stride, x)
			b.ADDQ(stride, dst)
			b.DECQ(rows)
			b.JNZ(operand.LabelRef(loop))
		}

		b.CMPQ(n, operand.I32(b.width))
		b.JGT(operand.LabelRef("long"))
		t := b.tail(n)
		b.Label("short")
		v := b.fetchOr(math.Inf(-1), operand.Mem{Base: x}, t)
		e := b.exp(b.sub(v, b.all(b.fold([]vec{b.copy(v)}, true))))
		y := b.div(e, b.all(b.fold([]vec{b.copy(e)}, false)))
		b.store(y, operand.Mem{Base: dst}, t)
		nextRow("short")
		b.JMP(operand.LabelRef("end"))

		b.Label("long")
		most := b.copy(b.c(math.Inf(-1)))
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			b.VMOVAPS(largest(b, b.fetchOr(math.Inf(-1), b.at(x, i, 0), t), most), most)
		})
		most = b.all(b.fold([]vec{most}, true))
		sum := b.zero()
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			e := b.exp(b.sub(b.fetchOr(math.Inf(-1), b.at(x, i, 0), t), most))
			b.store(e, b.at(dst, i, 0), t)
			b.VADDPS(e, sum, sum)
		})
		sum = b.all(b.fold([]vec{sum}, false))
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			b.store(b.div(b.fetch(b.at(dst, i, 0), t), sum), b.at(dst, i, 0), t)
		})
		nextRow("long")
		b.Label("end")
		b.finish()
	})
}

// fetchOr is fetch with another value than 0 beyond the tail.
func (b *builder) fetchOr(missing float64, m operand.Mem, t *tail) vec {
	v := b.fetch(m, t)
	if t != nil {
		v = b.choose(t.mask, v, b.reg(b.c(missing)))
	}
	return v
}

// all broadcasts the first element to every element.
func (b *builder) all(x vec) vec {
	v := b.vec()
	b.VBROADCASTSS(x.AsX(), v)
	return v
}
