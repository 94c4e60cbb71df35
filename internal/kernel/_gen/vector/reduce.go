package main

import (
	"math"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// lanes is the number of partial results; element i goes to number i mod lanes.
const lanes = 64

// reduction combines the elements of one or two vectors.
type reduction struct {
	name   string
	two    bool
	scalar bool
	// into adds the elements to the partial results acc. Elements beyond the tail are 0 in a, and in b.
	into func(b *builder, acc vec, x []vec, t *tail) vec
	max  bool
}

var reductions = []reduction{
	{name: "sum", into: func(b *builder, acc vec, x []vec, _ *tail) vec { return b.add(acc, x[0]) }},
	{name: "sumAbs", into: func(b *builder, acc vec, x []vec, _ *tail) vec { return b.add(acc, b.abs(x[0])) }},
	{name: "sumSquares", into: func(b *builder, acc vec, x []vec, _ *tail) vec { return b.fma(x[0], x[0], acc) }},
	{name: "dot", two: true, into: func(b *builder, acc vec, x []vec, _ *tail) vec { return b.fma(x[0], x[1], acc) }},
	{name: "sumSquaredDifferences", scalar: true, into: func(b *builder, acc vec, x []vec, t *tail) vec {
		d := b.sub(x[0], x[1])
		if t != nil {
			d = b.where(t.mask, d)
		}
		return b.fma(d, d, acc)
	}},
	{name: "dotDifference", two: true, scalar: true, into: func(b *builder, acc vec, x []vec, t *tail) vec {
		d := b.sub(x[1], x[2])
		if t != nil {
			d = b.where(t.mask, d)
		}
		return b.fma(x[0], d, acc)
	}},
	{name: "reduceMax", max: true, into: func(b *builder, acc vec, x []vec, t *tail) vec {
		v := x[0]
		if t != nil {
			v = b.choose(t.mask, v, b.reg(b.c(math.Inf(-1))))
		}
		return largest(b, v, acc)
	}},
}

// reduction emits func(a, b *float32, s float32, n int) float32; b and s are only present if they are used.
func (b *builder) reduction(r reduction) {
	signature := "func(a"
	if r.two {
		signature += ", b"
	}
	signature += " *float32"
	if r.scalar {
		signature += ", s float32"
	}
	b.kernel(r.name, signature+", n int) float32", 1, func(b *builder) {
		base := []reg.Register{b.Load(b.Param("a"), b.GP64())}
		if r.two {
			base = append(base, b.Load(b.Param("b"), b.GP64()))
		}
		var s []vec
		if r.scalar {
			s = append(s, b.broadcast("s"))
		}
		acc := make([]vec, lanes/b.width)
		for j := range acc {
			if r.max {
				acc[j] = b.copy(b.c(math.Inf(-1)))
			} else {
				acc[j] = b.zero()
			}
		}
		b.partials(len(acc), func(i reg.Register, j int, t *tail) {
			var x []vec
			for _, p := range base {
				x = append(x, b.fetch(b.at(p, i, j), t))
			}
			b.VMOVAPS(r.into(b, acc[j], append(x, s...), t), acc[j])
		})
		b.Store(b.fold(acc, r.max), b.ReturnIndex(0))
		b.finish()
	})
}

// partials emits the loop that adds the n elements that parameter n counts to vectors of partial results. step adds
// vector j, counted from element i, to partial result j.
func (b *builder) partials(vectors int, step func(i reg.Register, j int, t *tail)) {
	i := b.GP64()
	b.XORQ(i, i)
	n := b.Load(b.Param("n"), b.GP64()).(reg.GPVirtual)
	loop, rest, done := b.label("loop"), b.label("rest"), b.label("done")
	b.CMPQ(n, operand.I32(lanes))
	b.JLT(operand.LabelRef(rest))
	b.Label(loop)
	for j := range vectors {
		step(i, j, nil)
	}
	b.ADDQ(operand.I32(lanes), i)
	b.SUBQ(operand.I32(lanes), n)
	b.CMPQ(n, operand.I32(lanes))
	b.JGE(operand.LabelRef(loop))
	b.Label(rest)
	for j := range vectors {
		last, next := b.label("last"), b.label("next")
		b.CMPQ(n, operand.I32(b.width))
		b.JLT(operand.LabelRef(last))
		step(i, j, nil)
		b.SUBQ(operand.I32(b.width), n)
		b.JMP(operand.LabelRef(next))
		b.Label(last)
		b.TESTQ(n, n)
		b.JZ(operand.LabelRef(done))
		step(i, j, b.tail(n))
		b.JMP(operand.LabelRef(done))
		b.Label(next)
	}
	b.Label(done)
}

// fold combines the partial results pairwise: the first half with the second, and so on.
func (b *builder) fold(acc []vec, max bool) vec {
	for n := len(acc) / 2; n > 0; n /= 2 {
		for j := range n {
			b.combine(acc[j], acc[j+n], max)
		}
	}
	v := acc[0]
	if b.avx512() {
		high := b.YMM()
		b.VEXTRACTF32X8(operand.U8(1), v, high)
		v = v.AsY().(vec)
		b.combine(v, high, max)
	}
	high := b.XMM()
	if b.avx512() { // unlike VEXTRACTF128 it can use registers 16 to 31
		b.VEXTRACTF32X4(operand.U8(1), v.AsY(), high)
	} else {
		b.VEXTRACTF128(operand.U8(1), v.AsY(), high)
	}
	v = v.AsX().(vec)
	b.combine(v, high, max)
	for _, order := range []uint8{0x0e, 0x01} {
		high := b.XMM()
		b.VPERMILPS(operand.U8(order), v, high)
		b.combine(v, high, max)
	}
	return v
}

// combine adds y to x, or keeps the larger of both in x. Both have the same width, which may be any.
func (b *builder) combine(x, y reg.Register, max bool) {
	if !max {
		b.VADDPS(y, x, x)
		return
	}
	if b.avx512() {
		k := b.K()
		b.VCMPPS(operand.U8(unordered), x, x, k)
		b.VMAXPS(y, x, y)
		b.VBLENDMPS(x, y, k, x)
		return
	}
	var m reg.Register = b.XMM()
	if x.Size() == 32 {
		m = b.YMM()
	}
	b.VCMPPS(operand.U8(unordered), x, x, m)
	b.VMAXPS(y, x, y)
	b.VBLENDVPS(m, x, y, x)
}
