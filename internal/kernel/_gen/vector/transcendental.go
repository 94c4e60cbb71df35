package main

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/_gen/polynomial"
)

// reduce splits x = n·ln 2 + r and returns n, as a float, and e^r - 1.
func (b *builder) reduce(x vec) (n, q vec) {
	n = b.round(nearest, b.mul(x, b.c(math.Log2E)))
	r := b.fnma(n, b.c(polynomial.Ln2High), x)
	r = b.fnma(n, b.c(polynomial.Ln2Low), r)
	return n, b.fma(b.mul(r, r), b.polynomial(r, polynomial.Exp), r)
}

// power2 returns 2^(n+plus), if that is a normal number.
func (b *builder) power2(n vec, plus int) vec {
	return b.shift(b.VPSLLD, b.addInt(b.toInt(n), b.bits(uint32(127+plus))), 23)
}

// exp returns e^x. Below -104 it returns 0, above 88.73 +Inf; between -104 and -87.3 results are denormal.
func (b *builder) exp(x vec) vec {
	return b.expBelow(b.below(89, x))
}

// expBelow is exp for x of at most 89.
func (b *builder) expBelow(x vec) vec {
	n, q := b.reduce(b.above(-104, x))
	y := b.add(q, b.c(1))
	if b.avx512() {
		return b.of2(b.VSCALEFPS, y, n)
	}
	// 2^n need not be a normal number, so multiply in two steps.
	i := b.toInt(n)
	half := b.shift(b.VPSRAD, i, 1)
	for _, part := range []vec{half, b.subInt(i, half)} {
		y = b.mul(y, b.shift(b.VPSLLD, b.addInt(part, b.bits(127)), 23))
	}
	return y
}

// expm1 returns e^x - 1 = 2·(2ⁿ⁻¹·q + (2ⁿ⁻¹ - ½)). The largest power used is 2¹²⁷.
func (b *builder) expm1(x vec) vec {
	n, q := b.reduce(b.below(89, b.above(-25, x)))
	s := b.power2(n, -1)
	y := b.fma(q, s, b.sub(s, b.c(0.5)))
	return b.add(y, y)
}

// tanh is -t/(t + 2) with t = e^(-2|x|) - 1, with the sign of x.
func (b *builder) tanh(x vec) vec {
	n, q := b.reduce(b.above(-25, b.mul(b.abs(x), b.c(-2))))
	s := b.power2(n, 0)
	t := b.fma(q, s, b.sub(s, b.c(1)))
	y := b.div(t, b.add(t, b.c(2)))
	return b.or(b.and(x, b.bits(signBit)), b.abs(y))
}

// sigmoid is 1/(1 + e^-x).
func (b *builder) sigmoid(x vec) vec {
	return b.div(b.reg(b.c(1)), b.add(b.exp(b.xor(x, b.bits(signBit))), b.c(1)))
}

// softplus is max(x, 0) + log1p(e^-|x|).
func (b *builder) softplus(x vec) vec {
	t := b.exp(b.or(x, b.bits(signBit)))
	return b.add(b.of2(b.VMAXPS, b.zero(), x), b.log1pCore(t))
}

// split writes a normal positive x as 2^e·(1 + f) with an integer e and 2/3 <= 1+f < 4/3.
func (b *builder) split(x vec) (e, f vec) {
	const twoThirds = 0x3f2aaaab
	e = b.shift(b.VPSRAD, b.subInt(x, b.bits(twoThirds)), 23)
	return e, b.sub(b.subInt(x, b.shift(b.VPSLLD, e, 23)), b.c(1))
}

// join returns e·ln 2 + log(1+f).
func (b *builder) join(e, f vec) vec {
	return b.fma(e, b.c(polynomial.Ln2High), b.fma(b.mul(f, f), b.polynomial(f, polynomial.Log), f))
}

// limits corrects a logarithm y of x at the ends of its domain. It is -Inf for x = least.
func (b *builder) limits(x, y vec, least op) vec {
	y = b.choose(b.compare(notLess, x, b.c(math.Inf(1))), x, y)
	y = b.choose(b.compare(less, x, least), b.bits(0x7fc00000), y)
	return b.choose(b.compare(equal, x, least), b.c(math.Inf(-1)), y)
}

func (b *builder) log(x vec) vec {
	denormal := b.compare(less, x, b.c(0x1p-126))
	e, f := b.split(b.choose(denormal, b.mul(x, b.c(1<<23)), x))
	y := b.join(b.sub(b.toFloat(e), b.where(denormal, b.c(23))), f)
	return b.limits(x, y, b.zero())
}

func (b *builder) log1p(x vec) vec { return b.limits(x, b.log1pCore(x), b.c(-1)) }

// log1pCore returns log(1 + x) for -1 < x < Inf: the logarithm of u = fl(1 + x), with the rounding error added to f.
func (b *builder) log1pCore(x vec) vec {
	u := b.add(x, b.c(1))
	lost := b.sub(x, b.sub(u, b.c(1)))
	e, f := b.split(u)
	// 2^-e; for a large e, the rounding lost nothing.
	scale := b.shift(b.VPSLLD, b.subInt(b.reg(b.bits(127)), b.minInt(e, b.bits(100))), 23)
	return b.join(b.toFloat(e), b.fma(lost, scale, f))
}
