package random

import (
	"math"
	"math/bits"
)

// Source is a sequential generator, SplitMix64: a Weyl sequence, scrambled. Its period is 2⁶⁴. A Source is not safe for
// concurrent use; its zero value is the source of seed 0.
type Source struct {
	state  uint64
	spare  float64 // the second value of the last pair that Normal drew
	spares bool
}

// NewSource returns the source of a seed.
func NewSource(seed uint64) *Source { return &Source{state: seed} }

// Uint64 is uniform over all 64-bit values.
func (s *Source) Uint64() uint64 {
	s.state += golden
	return scramble(s.state)
}

// Float64 is uniform on [0, 1) in steps of 2⁻⁵³.
func (s *Source) Float64() float64 { return float64(s.Uint64()>>11) * (1.0 / (1 << 53)) }

// Intn is uniform on [0, n), without bias (Lemire, "Fast random integer generation in an interval", 2019).
// It panics for n < 1.
func (s *Source) Intn(n int) int {
	if n < 1 {
		panic("random: Intn of a number below 1")
	}
	bound := uint64(n)
	high, low := bits.Mul64(s.Uint64(), bound)
	if low < bound {
		for threshold := -bound % bound; low < threshold; {
			high, low = bits.Mul64(s.Uint64(), bound)
		}
	}
	return int(high)
}

// Normal is normally distributed with mean 0 and standard deviation 1 (Marsaglia's polar method).
func (s *Source) Normal() float64 {
	if s.spares {
		s.spares = false
		return s.spare
	}
	for {
		x, y := 2*s.Float64()-1, 2*s.Float64()-1
		r := float64(x*x) + float64(y*y)
		if r >= 1 || r == 0 {
			continue
		}
		scale := math.Sqrt(-2 * log(r) / r)
		s.spare, s.spares = y*scale, true
		return x * scale
	}
}

// log returns the natural logarithm of a normal x in (0, 1). math.Log is not used because its last bit depends on the
// platform. The conversions forbid the compiler to fuse multiplication and addition.
func log(x float64) float64 {
	mantissa, exponent := math.Frexp(x)
	if mantissa < math.Sqrt2/2 {
		mantissa *= 2
		exponent--
	}
	// ln m = 2 artanh t with t = (m-1)/(m+1), |t| < 0.172: the series to t²¹ is exact to 2⁻⁵³.
	t := (mantissa - 1) / (mantissa + 1)
	t2 := float64(t * t)
	sum := 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*t2) + 1/float64(k)
	}
	return float64(2*t*sum) + float64(float64(exponent)*math.Ln2)
}

// Permutation returns a random order of 0 … n-1, each of the n! orders being equally likely (Fisher and Yates).
func Permutation(seed uint64, n int) []int {
	p := make([]int, n)
	Permute(seed, p)
	return p
}

// Permute fills p with Permutation(seed, len(p)). The type T must hold numbers up to len(p).
func Permute[T int | int32 | uint32 | int64](seed uint64, p []T) {
	s := NewSource(seed)
	for i := range p {
		j := s.Intn(i + 1)
		p[i] = p[j]
		p[j] = T(i)
	}
}
