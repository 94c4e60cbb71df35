package analysis

import (
	"math"
	"math/big"
	"math/bits"
)

// sum adds numbers, or products of two, without rounding: it is a fixed-point number that is wide enough for all of
// them. The order of additions does not matter, and two sums can be merged exactly.
type sum struct{ above, below wide } // sums of the positive and of the negative numbers

// sumScale is the weight of the lowest bit: 2^-sumScale. The smallest product of two numbers is 2^-2148.
const sumScale = 34 * 64

// wide is a number of 68 words: the largest product of two numbers is below 2^2048, and up to 2^63 of them may be
// added.
type wide [68]uint64

// add adds x, which is finite.
func (s *sum) add(x float64) {
	mantissa, exponent, negative := parts(x)
	s.at(exponent, 0, mantissa, negative)
}

// addTimes adds n·x, which is finite.
func (s *sum) addTimes(x float64, n int64) {
	mantissa, exponent, negative := parts(x)
	high, low := bits.Mul64(mantissa, uint64(n))
	s.at(exponent, high, low, negative)
}

// addSquares adds n·x², which is finite. n is below 2^22.
func (s *sum) addSquares(x float64, n int64) {
	mantissa, exponent, _ := parts(x)
	high, low := bits.Mul64(mantissa, mantissa)
	carry, low := bits.Mul64(low, uint64(n))
	s.at(2*exponent, high*uint64(n)+carry, low, false)
}

// addProduct adds x·y, which are finite.
func (s *sum) addProduct(x, y float64) {
	mx, ex, nx := parts(x)
	my, ey, ny := parts(y)
	high, low := bits.Mul64(mx, my)
	s.at(ex+ey, high, low, nx != ny)
}

// parts splits a finite number into ±mantissa·2^exponent.
func parts(x float64) (mantissa uint64, exponent int, negative bool) {
	b := math.Float64bits(x)
	exponent = int(b >> 52 & 0x7ff)
	mantissa = b & (1<<52 - 1)
	if exponent == 0 {
		exponent = 1
	} else {
		mantissa |= 1 << 52
	}
	return mantissa, exponent - 1075, b>>63 != 0
}

// at adds (high·2^64 + low)·2^exponent.
func (s *sum) at(exponent int, high, low uint64, negative bool) {
	to := &s.above
	if negative {
		to = &s.below
	}
	position := exponent + sumScale
	i, shift := position/64, uint(position%64)
	var carry uint64
	to[i], carry = bits.Add64(to[i], low<<shift, 0)
	to[i+1], carry = bits.Add64(to[i+1], high<<shift|low>>(64-shift), carry)
	to[i+2], carry = bits.Add64(to[i+2], high>>(64-shift), carry)
	for i += 3; carry != 0 && i < len(to); i++ {
		to[i], carry = bits.Add64(to[i], 0, carry)
	}
}

func (s *sum) merge(o *sum) {
	s.above.merge(&o.above)
	s.below.merge(&o.below)
}

func (w *wide) merge(o *wide) {
	var carry uint64
	for i := range w {
		w[i], carry = bits.Add64(w[i], o[i], carry)
	}
}

// exact returns the sum in units of 2^-sumScale.
func (s *sum) exact() *big.Int { return new(big.Int).Sub(s.above.exact(), s.below.exact()) }

func (w *wide) exact() *big.Int {
	words := make([]byte, 8*len(w))
	for i, x := range w {
		for k := range 8 {
			words[len(words)-1-8*i-k] = byte(x >> (8 * k))
		}
	}
	return new(big.Int).SetBytes(words)
}

// precise is the precision of divisions of exact results.
const precise = 256

// ratio returns a/b·2^-scale, rounded to the nearest number.
func ratio(a, b *big.Int, scale int) float64 {
	if b.Sign() == 0 {
		return math.NaN()
	}
	x := new(big.Float).SetPrec(precise).SetInt(a)
	y := new(big.Float).SetPrec(precise).SetInt(b)
	x.Quo(x, y)
	x.SetMantExp(x, -scale)
	f, _ := x.Float64()
	return f
}

// moments holds the exact sums of finite numbers and of their squares.
type moments struct {
	n     int64
	x, xx sum
}

func (m *moments) add(x float64) {
	m.n++
	m.x.add(x)
	m.xx.addProduct(x, x)
}

// addTimes adds a number n times.
func (m *moments) addTimes(x float64, n int64) {
	m.n += n
	m.x.addTimes(x, n)
	for ; n > 0; n -= 1 << 21 {
		m.xx.addSquares(x, min(n, 1<<21))
	}
}

func (m *moments) merge(o *moments) {
	m.n += o.n
	m.x.merge(&o.x)
	m.xx.merge(&o.xx)
}

// mean returns the mean; NaN without numbers.
func (m *moments) mean() float64 { return ratio(m.x.exact(), big.NewInt(m.n), sumScale) }

// variance divides by n−1; it is NaN for fewer than two numbers.
func (m *moments) variance() float64 {
	if m.n < 2 {
		return math.NaN()
	}
	n := big.NewInt(m.n)
	den := new(big.Int).Mul(n, big.NewInt(m.n-1))
	return ratio(centred(n, &m.xx, &m.x, &m.x), den, 2*sumScale)
}

// centred returns n·Σxy − Σx·Σy in units of 2^(-2·sumScale).
func centred(n *big.Int, xy, x, y *sum) *big.Int {
	c := new(big.Int).Mul(n, xy.exact())
	c.Lsh(c, sumScale)
	return c.Sub(c, new(big.Int).Mul(x.exact(), y.exact()))
}

// pairs holds the sums over pairs of numbers, for their correlation.
type pairs struct {
	x, y moments
	xy   sum
}

func (p *pairs) add(x, y float64) {
	p.x.add(x)
	p.y.add(y)
	p.xy.addProduct(x, y)
}

func (p *pairs) merge(o *pairs) {
	p.x.merge(&o.x)
	p.y.merge(&o.y)
	p.xy.merge(&o.xy)
}

// correlation returns Pearson's correlation; NaN if one side does not vary.
func (p *pairs) correlation() float64 {
	n := big.NewInt(p.x.n)
	xx, yy := centred(n, &p.x.xx, &p.x.x, &p.x.x), centred(n, &p.y.xx, &p.y.x, &p.y.x)
	if xx.Sign() <= 0 || yy.Sign() <= 0 {
		return math.NaN()
	}
	float := func(i *big.Int) *big.Float { return new(big.Float).SetPrec(precise).SetInt(i) }
	root := new(big.Float).SetPrec(precise).Mul(float(xx), float(yy))
	root.Sqrt(root)
	r, _ := new(big.Float).SetPrec(precise).Quo(float(centred(n, &p.xy, &p.x.x, &p.y.x)), root).Float64()
	return r
}
