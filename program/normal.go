package program

import "math"

// Quantile returns the standard normal distribution's quantile of u, elementwise, for u in [0, 1) in steps of 2⁻²⁴ or
// coarser. It is √2·erf⁻¹(2u − 1), with u increased by 2⁻²⁵ so that the quantile of 0 is finite. The inverse error
// function is that of Giles, "Approximating the erfinv function", 2011. Its relative error is at most 4·10⁻⁷.
func (b *Builder) Quantile(u *Value) *Value {
	x := b.Sub(b.Mul(u, b.Scalar(2)), b.Scalar(1-math.Ldexp(1, -24)))
	one := b.Scalar(1)
	w := b.Neg(b.Unary(Log, b.Mul(b.Sub(one, x), b.Add(one, x))))
	near := b.polynomial(b.Sub(w, b.Scalar(2.5)), 2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
		0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941)
	far := b.polynomial(b.Sub(b.Unary(Sqrt, w), b.Scalar(3)), -0.000200214257, 0.000100950558, 0.00134934322,
		-0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682)
	p := b.Select(b.Binary(Greater, b.Scalar(5), w), near, far)
	return b.Mul(b.Mul(p, x), b.Scalar(math.Sqrt2))
}

// polynomial is c[0]·xⁿ + … + c[n].
func (b *Builder) polynomial(x *Value, c ...float64) *Value {
	y := b.Scalar(c[0])
	for _, k := range c[1:] {
		y = b.Add(b.Mul(y, x), b.Scalar(k))
	}
	return y
}

// Normal returns normally distributed random numbers with mean 0 and variance 1: see [Random] for the stream.
func (b *Builder) Normal(stream uint64, shape ...int) *Value {
	return b.Quantile(b.Random(stream, shape...))
}
