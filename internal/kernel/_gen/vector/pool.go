package main

import (
	"strings"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The pooling kernels handle windows of 2 by 2 cells, 2 apart, all inside the image. A block is the windows of one
// vector of y: two vectors of the upper row of x and two of the lower. VSHUFPS takes the even and the odd cells of two
// vectors in its own order; order and restore translate between that order and the order of y.

// cells holds the vectors of the four cells of a block's windows, in row-major order.
type cells [4]vec

// rowPair holds the addresses of a block: of the vectors of y, and of x.
type rowPair struct {
	b            *builder
	upper, lower reg.Register // the row's next cell
	out          reg.Register // index of the row's next window, from the base addresses in y and dy
	t            *pairTail
}

// pairTail holds the masks of a row's last, incomplete block.
type pairTail struct{ out, first, second *tail }

func (p rowPair) masks() (out, first, second *tail) {
	if p.t == nil {
		return nil, nil, nil
	}
	return p.t.out, p.t.first, p.t.second
}

func (p rowPair) cell(base reg.Register, half int) operand.Mem {
	return operand.Mem{Base: base, Disp: 4 * p.b.width * half}
}

func (p rowPair) load(base reg.Register) (first, second vec) {
	_, f, s := p.masks()
	return p.b.fetch(p.cell(base, 0), f), p.b.fetch(p.cell(base, 1), s)
}

func (p rowPair) split() cells {
	u0, u1 := p.load(p.upper)
	l0, l1 := p.load(p.lower)
	return cells{p.b.shuffle(0x88, u0, u1), p.b.shuffle(0xdd, u0, u1), p.b.shuffle(0x88, l0, l1), p.b.shuffle(0xdd, l0, l1)}
}

// window loads an element of each window, in the order of cells; put stores them.
func (p rowPair) window(base reg.Register) vec {
	out, _, _ := p.masks()
	return p.b.order(p.b.fetch(p.b.at(base, p.out, 0), out))
}

func (p rowPair) put(v vec, base reg.Register) {
	out, _, _ := p.masks()
	p.b.store(p.b.restore(v), p.b.at(base, p.out, 0), out)
}

// spread stores the cells in dx at the place of x's rows. dx is offset bytes from x.
func (p rowPair) spread(c cells, offset reg.Register) {
	_, f, s := p.masks()
	for i, row := range []reg.Register{p.upper, p.lower} {
		at := func(half int) operand.Mem {
			return operand.Mem{Base: row, Index: offset, Scale: 1, Disp: 4 * p.b.width * half}
		}
		p.b.store(p.b.of2(p.b.VUNPCKLPS, c[2*i], c[2*i+1]), at(0), f)
		p.b.store(p.b.of2(p.b.VUNPCKHPS, c[2*i], c[2*i+1]), at(1), s)
	}
}

func (b *builder) shuffle(order uint8, x, y vec) vec {
	v := b.vec()
	b.VSHUFPS(operand.U8(order), y, x, v)
	return v
}

func (b *builder) order(v vec) vec   { return b.pairs(v, "order", 0, 4, 1, 5, 2, 6, 3, 7) }
func (b *builder) restore(v vec) vec { return b.pairs(v, "restore", 0, 2, 4, 6, 1, 3, 5, 7) }

// pairs permutes pairs of elements. For AVX2's four pairs, both orders are 0, 2, 1, 3.
func (b *builder) pairs(v vec, name string, order ...uint64) vec {
	w := b.vec()
	if !b.avx512() {
		b.VPERMPD(operand.U8(0xd8), v, w)
		return w
	}
	b.VPERMPD(v, b.copy(b.table(name, order)), w)
	return w
}

// poolKernel emits func(pointers… *float32, rows, in, out int): rows pairs of rows of in cells, with out windows each.
type poolKernel struct {
	name, pointers string
	block          func(b *builder, p rowPair, base map[string]reg.Register)
}

var pooling = []poolKernel{
	{"max", "x y", func(b *builder, p rowPair, base map[string]reg.Register) {
		u0, u1 := p.load(p.upper)
		l0, l1 := p.load(p.lower)
		m0, m1 := largest(b, u0, l0), largest(b, u1, l1)
		p.put(largest(b, b.shuffle(0x88, m0, m1), b.shuffle(0xdd, m0, m1)), base["y"])
	}},
	{"maxGrad", "x y dy dx", func(b *builder, p rowPair, base map[string]reg.Register) {
		x, y, dy := p.split(), p.window(base["y"]), p.window(base["dy"])
		for i := range x {
			// A NaN in the window makes y NaN. The first NaN then gets the gradient.
			is := b.either(b.compare(equal, x[i], y), b.compare(unordered, x[i], x[i]))
			x[i] = b.where(is, dy)
			dy = b.unless(is, dy)
		}
		p.spread(x, base["dx"])
	}},
	{"average", "x y", func(b *builder, p rowPair, base map[string]reg.Register) {
		x := p.split()
		p.put(b.mul(b.add(b.add(b.add(x[0], x[1]), x[2]), x[3]), b.c(0.25)), base["y"])
	}},
	{"averageGrad", "dy dx", func(b *builder, p rowPair, base map[string]reg.Register) {
		d := b.mul(p.window(base["dy"]), b.c(0.25))
		p.spread(cells{d, d, d, d}, base["dx"])
	}},
}

// either returns the union of two masks.
func (b *builder) either(x, y mask) mask {
	if b.avx512() {
		k := b.K()
		b.KORW(x.k, y.k, k)
		return mask{k: k}
	}
	return mask{v: b.or(x.v, y.v)}
}

// unless returns v where the mask is not set, 0 elsewhere.
func (b *builder) unless(m mask, v vec) vec {
	if b.avx512() {
		k := b.K()
		b.KNOTW(m.k, k)
		return b.where(mask{k: k}, v)
	}
	return b.of2(b.VANDNPS, m.v, v)
}

func (b *builder) pool(k poolKernel) {
	pointers := strings.Fields(k.pointers)
	b.kernel(k.name, "func("+strings.Join(pointers, ", ")+" *float32, rows, in, out int)", 2, func(b *builder) {
		base := map[string]reg.Register{}
		for _, p := range pointers {
			base[p] = b.Load(b.Param(p), b.GP64())
		}
		rows, stride := b.Load(b.Param("rows"), b.GP64()), b.Load(b.Param("in"), b.GP64())
		b.SHLQ(operand.U8(2), stride)

		p := rowPair{b: b, upper: b.GP64(), lower: b.GP64(), out: b.GP64()}
		if x, ok := base["x"]; ok {
			b.MOVQ(x, p.upper)
			if dx, ok := base["dx"]; ok {
				b.SUBQ(x, dx)
			}
		} else {
			b.MOVQ(base["dx"], p.upper)
			b.XORQ(base["dx"], base["dx"])
		}
		b.XORQ(p.out, p.out)
		last := b.pairTail()

		next, left := b.GP64(), b.GP64()
		width := operand.I32(b.width)
		b.TESTQ(rows, rows)
		b.JZ(operand.LabelRef("done"))
		b.Label("row")
		b.Load(b.Param("out"), left)
		b.LEAQ(operand.Mem{Base: p.upper, Index: stride, Scale: 1}, p.lower)
		b.LEAQ(operand.Mem{Base: p.upper, Index: stride, Scale: 2}, next)
		b.CMPQ(left, width)
		b.JLT(operand.LabelRef("rest"))
		b.Label("block")
		k.block(b, p, base)
		b.ADDQ(operand.I32(8*b.width), p.upper)
		b.ADDQ(operand.I32(8*b.width), p.lower)
		b.ADDQ(width, p.out)
		b.SUBQ(width, left)
		b.CMPQ(left, width)
		b.JGE(operand.LabelRef("block"))
		b.Label("rest")
		b.TESTQ(left, left)
		b.JZ(operand.LabelRef("next"))
		p.t = last
		k.block(b, p, base)
		b.ADDQ(left, p.out)
		b.Label("next")
		b.MOVQ(next, p.upper)
		b.DECQ(rows)
		b.JNZ(operand.LabelRef("row"))
		b.Label("done")
		b.finish()
	})
}

// pairTail returns the masks of a row's last block. Its length is parameter out modulo a vector's length.
func (b *builder) pairTail() *pairTail {
	n, first, second, zero, width := b.GP64(), b.GP64(), b.GP64(), b.GP64(), b.GP64()
	b.Load(b.Param("out"), n)
	b.ANDQ(operand.I32(b.width-1), n)
	t := &pairTail{out: b.tail(n)}
	b.XORQ(zero, zero)
	b.MOVQ(operand.I32(b.width), width)
	b.LEAQ(operand.Mem{Base: n, Index: n, Scale: 1}, first)
	b.MOVQ(first, second)
	b.SUBQ(width, second)
	b.CMOVQLT(zero, second)
	b.CMPQ(first, width)
	b.CMOVQGT(width, first)
	t.first, t.second = b.tail(first), b.tail(second)
	return t
}
