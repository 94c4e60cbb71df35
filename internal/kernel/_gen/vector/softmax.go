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
		chains := make([]vec, 4)
		for j := range chains {
			chains[j] = b.copy(b.c(math.Inf(-1)))
		}
		b.stream(len(chains), func(i reg.Register, j int, t *tail) {
			// A NaN is dropped here. Its power makes the sum NaN, and so the row.
			b.VMAXPS(chains[j], b.fetchOr(math.Inf(-1), b.at(x, i, j), t), chains[j])
		})
		most := b.all(b.fold(chains, true))
		sum, least := b.zero(), b.copy(b.bits(allOnes))
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			e := b.expBelow(b.sub(b.fetchOr(math.Inf(-1), b.at(x, i, 0), t), most))
			b.store(e, b.at(dst, i, 0), t)
			b.VADDPS(e, sum, sum)
			b.VPMINUD(b.addInt(e, b.bits(allOnes)), least, least)
		})
		sum = b.all(b.fold([]vec{sum}, false))
		b.jumpIfBelow(least, math.Float32bits(leastByReciprocal)-1, "divide")
		inverse := b.div(b.reg(b.c(1)), sum)
		b.stream(2, func(i reg.Register, j int, t *tail) {
			b.store(b.divBy(b.fetch(b.at(dst, i, j), t), sum, inverse), b.at(dst, i, j), t)
		})
		nextRow("long")
		b.JMP(operand.LabelRef("end"))
		b.Label("divide")
		b.stream(1, func(i reg.Register, _ int, t *tail) {
			b.store(b.div(b.fetch(b.at(dst, i, 0), t), sum), b.at(dst, i, 0), t)
		})
		nextRow("long")
		b.Label("end")
		b.finish()
	})
}

// leastByReciprocal is the least power, besides 0, that divBy divides by a row's sum. The remainders of smaller ones
// could be denormal.
const leastByReciprocal = 0x1p-90

const allOnes = 0xffffffff // as an integer, -1

// divBy is x/y with the bits of a division, for inverse = 1/y with one rounding. The first correction brings the
// quotient within one unit in the last place. Then the second one rounds as a division does, by Markstein's theorem.
func (b *builder) divBy(x, y, inverse vec) vec {
	q := b.mul(x, inverse)
	for range 2 {
		q = b.fma(b.fnma(q, y, x), inverse, q)
	}
	return q
}

// jumpIfBelow jumps to a label if an element is less than limit, both as unsigned integers.
func (b *builder) jumpIfBelow(x vec, limit uint32, label string) {
	if b.avx512() {
		k := b.K()
		b.VPCMPUD(operand.U8(1), b.bits(limit), x, k)
		b.KORTESTW(k, k)
		b.JNZ(operand.LabelRef(label))
		return
	}
	lanes := b.GP32()
	m := b.of2(b.VPMINUD, x, b.bits(limit))
	b.VMOVMSKPS(b.of2(b.VPCMPEQD, m, b.bits(limit)), lanes)
	b.CMPL(lanes, operand.U8(0xff))
	b.JNE(operand.LabelRef(label))
}

// softmaxGrad emits func(dst, p, d *float32, s float32, rows, n int): (d - Σ p·d)·p·s of each row of n elements.
func (b *builder) softmaxGrad() {
	b.kernel("softmaxGrad", "func(dst, p, d *float32, s float32, rows, n int)", 0, func(b *builder) {
		dst, p, d := b.Load(b.Param("dst"), b.GP64()), b.Load(b.Param("p"), b.GP64()), b.Load(b.Param("d"), b.GP64())
		scale := b.broadcast("s")
		rows, stride := b.GP64(), b.GP64()
		b.Load(b.Param("rows"), rows)
		b.Load(b.Param("n"), stride)
		b.SHLQ(operand.U8(2), stride)
		b.TESTQ(rows, rows)
		b.JZ(operand.LabelRef("end"))
		b.Label("row")
		acc := make([]vec, lanes/b.width)
		for j := range acc {
			acc[j] = b.zero()
		}
		b.partials(len(acc), func(i reg.Register, j int, t *tail) {
			b.VADDPS(b.mul(b.fetch(b.at(p, i, j), t), b.fetch(b.at(d, i, j), t)), acc[j], acc[j])
		})
		sum := b.all(b.fold(acc, false))
		b.stream(4, func(i reg.Register, j int, t *tail) {
			difference := b.sub(b.fetch(b.at(d, i, j), t), sum)
			b.store(b.mul(b.mul(difference, b.fetch(b.at(p, i, j), t)), scale), b.at(dst, i, j), t)
		})
		for _, x := range []reg.Register{dst, p, d} {
			b.ADDQ(stride, x)
		}
		b.DECQ(rows)
		b.JNZ(operand.LabelRef("row"))
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
