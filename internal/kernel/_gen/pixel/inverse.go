package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transform holds the constants of the cosine transform, for pairs of numbers and for its two passes.
type transform struct {
	even [2]Mem // of numbers 2 and 6
	both [2]Mem // of 7+3 and 5+1
	odd  [4]Mem // of 7 and 1, 5 and 3, 5 and 3, 7 and 1
}

func newTransform() *transform {
	const (
		c0298, c0390, c0541, c0765, c0899, c1175 = 2446, 3196, 4433, 6270, 7373, 9633
		c1501, c1847, c1961, c2053, c2562, c3072 = 12299, 15137, 16069, 16819, 20995, 25172
	)
	return &transform{
		even: [2]Mem{words("evenC", c0541, c0541-c1847), words("evenD", c0541+c0765, c0541)},
		both: [2]Mem{words("bothG", c1175-c1961, c1175), words("bothH", c1175, c1175-c0390)},
		odd: [4]Mem{
			words("odd0", -c0899, c1501-c0899),
			words("odd1", -c2562, c3072-c2562),
			words("odd2", c2053-c2562, -c2562),
			words("odd3", c0298-c0899, -c0899),
		},
	}
}

// spread splits one vector into two rows of 8 numbers. Numbers 0 to 3 are in the lower lane, 4 to 7 in the upper one.
func spread(v reg.VecVirtual) (x, y reg.VecVirtual) {
	x, y = YMM(), YMM()
	VPERMQ(U8(0x50), v, x)
	VPERMQ(U8(0xfa), v, y)
	return x, y
}

// pair interleaves the numbers of x and y: a pair for each of 8 columns.
func pair(x, y reg.VecVirtual) reg.VecVirtual {
	v := YMM()
	VPUNPCKLWD(y, x, v)
	return v
}

func multiply(pairs reg.VecVirtual, by Mem) reg.VecVirtual {
	v := YMM()
	VPMADDWD(by, pairs, v)
	return v
}

func plus(x, y reg.VecVirtual) reg.VecVirtual {
	v := YMM()
	VPADDD(y, x, v)
	return v
}

func minus(x, y reg.VecVirtual) reg.VecVirtual {
	v := YMM()
	VPSUBD(y, x, v)
	return v
}

// pass transforms the eight numbers of each of 8 columns. The results are transposed: vector i holds columns i and
// i+4.
func (t *transform) pass(in [8]reg.VecVirtual, round Mem, shift uint8) [4]reg.VecVirtual {
	p := pair(in[2], in[6])
	c, d := multiply(p, t.even[0]), multiply(p, t.even[1])
	zero, sum, difference := YMM(), YMM(), YMM()
	VPXOR(zero, zero, zero)
	VPADDW(in[4], in[0], sum)
	VPSUBW(in[4], in[0], difference)
	a, b := pair(zero, sum), pair(zero, difference)
	for _, v := range []reg.VecVirtual{a, b} {
		VPSRAD(U8(3), v, v)
		VPADDD(round, v, v)
	}
	even := [4]reg.VecVirtual{plus(a, d), plus(b, c), minus(b, c), minus(a, d)}

	e, f := YMM(), YMM()
	VPADDW(in[3], in[7], e)
	VPADDW(in[1], in[5], f)
	p = pair(e, f)
	g, h := multiply(p, t.both[0]), multiply(p, t.both[1])
	p = pair(in[7], in[1])
	odd0, odd3 := plus(multiply(p, t.odd[0]), h), plus(multiply(p, t.odd[3]), g)
	p = pair(in[5], in[3])
	odd := [4]reg.VecVirtual{odd0, plus(multiply(p, t.odd[1]), g), plus(multiply(p, t.odd[2]), h), odd3}

	var packed [4]reg.VecVirtual // outputs i and i+4
	for i := range 4 {
		// Output i+4 is even minus odd of 3-i.
		low, high := plus(even[i], odd[i]), minus(even[3-i], odd[3-i])
		VPSRAD(U8(shift), low, low)
		VPSRAD(U8(shift), high, high)
		packed[i] = YMM()
		VPACKSSDW(high, low, packed[i])
	}
	return transpose(packed)
}

func transpose(p [4]reg.VecVirtual) (out [4]reg.VecVirtual) {
	l01, h45, l23, h67 := YMM(), YMM(), YMM(), YMM()
	VPUNPCKLWD(p[1], p[0], l01)
	VPUNPCKHWD(p[1], p[0], h45)
	VPUNPCKLWD(p[3], p[2], l23)
	VPUNPCKHWD(p[3], p[2], h67)
	m, n, o, q := YMM(), YMM(), YMM(), YMM()
	VPUNPCKLDQ(l23, l01, m)
	VPUNPCKHDQ(l23, l01, n)
	VPUNPCKLDQ(h67, h45, o)
	VPUNPCKHDQ(h67, h45, q)
	for i := range out {
		out[i] = YMM()
	}
	VPUNPCKLQDQ(o, m, out[0])
	VPUNPCKHQDQ(o, m, out[1])
	VPUNPCKLQDQ(q, n, out[2])
	VPUNPCKHQDQ(q, n, out[3])
	return out
}

// inverse transforms a block of 8 by 8 coefficients.
func inverse() {
	t := newTransform()
	first, second := doublewords("roundFirst", 1<<10), doublewords("roundSecond", 1<<17)
	middle := GLOBL("middle", RODATA|NOPTR)
	for i := range 4 {
		DATA(8*i, U64(0x8080808080808080))
	}
	TEXT("inverseAVX2", NOSPLIT, "func(coefs, quant *int16, dst *uint8, stride int)")
	Doc("inverseAVX2 is Set.Inverse.")
	Pragma("noescape")
	coefs, quant, dst, stride := param("coefs"), param("quant"), param("dst"), param("stride")
	var in [8]reg.VecVirtual
	for i := range 4 {
		v := YMM()
		VMOVDQU(Mem{Base: coefs, Disp: 32 * i}, v)
		VPMULLW(Mem{Base: quant, Disp: 32 * i}, v, v)
		in[2*i], in[2*i+1] = spread(v)
	}
	rows := t.pass(in, first, 11)
	for i, v := range rows {
		in[i], in[i+4] = spread(v)
	}
	rows = t.pass(in, second, 18)
	third := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, third)
	var low, high [2]reg.VecVirtual
	for i := range 2 {
		low[i], high[i] = YMM(), XMM()
		VPACKSSWB(rows[2*i+1], rows[2*i], low[i])
		VPXOR(middle, low[i], low[i])
		VEXTRACTI128(U8(1), low[i], high[i])
	}
	for _, v := range [][2]reg.VecVirtual{low, high} {
		VMOVQ(v[0].AsX(), Mem{Base: dst})
		VMOVHPS(v[0].AsX(), Mem{Base: dst, Index: stride, Scale: 1})
		VMOVQ(v[1].AsX(), Mem{Base: dst, Index: stride, Scale: 2})
		VMOVHPS(v[1].AsX(), Mem{Base: dst, Index: third, Scale: 1})
		LEAQ(Mem{Base: dst, Index: stride, Scale: 4}, dst)
	}
	VZEROUPPER()
	RET()
}
