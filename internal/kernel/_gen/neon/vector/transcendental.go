package main

import (
	"math"

	"github.com/dl4go/dl4go/internal/kernel/_gen/neon"
	"github.com/dl4go/dl4go/internal/kernel/_gen/polynomial"
)

// reduce splits x = n·ln 2 + r and returns n, as a float, and e^r - 1.
func (b *builder) reduce(x vec) (n, q vec) {
	n = b.of1(neon.FRINTN, b.mul(x, b.c(math.Log2E)))
	r := b.fnma(n, b.c(polynomial.Ln2High), x)
	r = b.fnma(n, b.c(polynomial.Ln2Low), r)
	return n, b.fma(b.mul(r, r), b.polynomial(r, polynomial.Exp), r)
}

// power returns 2^(i+plus), if that is a normal number.
func (b *builder) power(i vec, plus int) vec {
	return b.shift(neon.SHL, b.of2(neon.ADD, i, b.Const(uint32(127+plus))), 23)
}

// exp returns e^x. Below -104 it returns 0, above 88.73 +Inf; between -104 and -87.3 results are denormal.
func (b *builder) exp(x vec) vec {
	x = b.below(89, b.above(-104, x))
	n, q := b.reduce(x)
	y := b.add(q, b.c(1))
	// 2^n need not be a normal number, so multiply in two steps.
	i := b.of1(neon.FCVTZS, n)
	half := b.shift(neon.SSHR, i, 1)
	y = b.mul(y, b.power(half, 0))
	return b.mul(y, b.power(b.of2(neon.SUB, i, half), 0))
}

// expm1 returns e^x - 1 = 2·(2ⁿ⁻¹·q + (2ⁿ⁻¹ - ½)). The largest power used is 2¹²⁷.
func (b *builder) expm1(x vec) vec {
	n, q := b.reduce(b.below(89, b.above(-25, x)))
	s := b.power(b.of1(neon.FCVTZS, n), -1)
	y := b.fma(q, s, b.sub(s, b.c(0.5)))
	return b.add(y, y)
}

// tanh is -t/(t + 2) with t = e^(-2|x|) - 1, with the sign of x.
func (b *builder) tanh(x vec) vec {
	n, q := b.reduce(b.above(-25, b.mul(b.of1(neon.FABS, x), b.c(-2))))
	s := b.power(b.of1(neon.FCVTZS, n), 0)
	t := b.fma(q, s, b.sub(s, b.c(1)))
	y := b.div(t, b.add(t, b.c(2)))
	return b.choose(b.Const(signBit), x, b.of1(neon.FABS, y))
}

// sigmoid is 1/(1 + e^-x).
func (b *builder) sigmoid(x vec) vec { return b.div(b.c(1), b.add(b.exp(b.of1(neon.FNEG, x)), b.c(1))) }

// softplus is max(x, 0) + log1p(e^-|x|).
func (b *builder) softplus(x vec) vec {
	t := b.exp(b.or(x, b.Const(signBit)))
	return b.add(b.of2(neon.FMAX, b.zero(), x), b.log1pCore(t))
}

// split writes a normal positive x as 2^e·(1 + f) with an integer e and 2/3 <= 1+f < 4/3.
func (b *builder) split(x vec) (e, f vec) {
	const twoThirds = 0x3f2aaaab
	e = b.shift(neon.SSHR, b.of2(neon.SUB, x, b.Const(twoThirds)), 23)
	return e, b.sub(b.of2(neon.SUB, x, b.shift(neon.SHL, e, 23)), b.c(1))
}

// join returns e·ln 2 + log(1+f).
func (b *builder) join(e, f vec) vec {
	return b.fma(e, b.c(polynomial.Ln2High), b.fma(b.mul(f, f), b.polynomial(f, polynomial.Log), f))
}

// limits corrects a logarithm y of x at the ends of its domain. It is -Inf for x = least.
func (b *builder) limits(x, y vec, least float64) vec {
	y = b.choose(b.of2(neon.FCMGT, b.c(math.Inf(1)), x), y, x)
	y = b.choose(b.of2(neon.FCMGT, b.c(least), x), b.Const(0x7fc00000), y)
	return b.choose(b.of2(neon.FCMEQ, x, b.c(least)), b.c(math.Inf(-1)), y)
}

func (b *builder) log(x vec) vec {
	denormal := b.of2(neon.FCMGT, b.c(0x1p-126), x)
	e, f := b.split(b.choose(denormal, b.mul(x, b.c(1<<23)), x))
	y := b.join(b.sub(b.of1(neon.SCVTF, e), b.and(denormal, b.c(23))), f)
	return b.limits(x, y, 0)
}

func (b *builder) log1p(x vec) vec { return b.limits(x, b.log1pCore(x), -1) }

// log1pCore returns log(1 + x) for -1 < x < Inf: the logarithm of u = fl(1 + x), with the rounding error added to f.
func (b *builder) log1pCore(x vec) vec {
	u := b.add(x, b.c(1))
	lost := b.sub(x, b.sub(u, b.c(1)))
	e, f := b.split(u)
	// 2^-e; for a large e, the rounding lost nothing.
	scale := b.shift(neon.SHL, b.of2(neon.SUB, b.Const(127), b.of2(neon.SMIN, e, b.Const(100))), 23)
	return b.join(b.of1(neon.SCVTF, e), b.fma(lost, scale, f))
}
