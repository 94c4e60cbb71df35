package pipeline

import (
	"math"
	"math/big"
)

// exactSum adds numbers without rounding. The numbers of parts do not overlap, and their sum is exact. So the result
// depends neither on the order of additions nor on the partitions of the data.
type exactSum struct {
	parts   []float64 // by increasing magnitude
	special float64   // the sum of infinities, NaN, and sums beyond the range
	n       int64
}

// add adds a number.
func (s *exactSum) add(x float64) {
	s.n++
	s.put(x)
}

func (s *exactSum) put(x float64) {
	if math.IsInf(x, 0) || x != x {
		s.special += x
		return
	}
	kept := s.parts[:0]
	for _, y := range s.parts {
		sum, rest := twoSum(x, y)
		if math.IsInf(sum, 0) {
			s.special += sum
			return
		}
		if rest != 0 {
			kept = append(kept, rest)
		}
		x = sum
	}
	s.parts = append(kept, x)
}

// twoSum returns a+b, rounded, and the rounding error (Knuth).
func twoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	bb := sum - a
	return sum, (a - (sum - bb)) + (b - bb)
}

// addProduct adds x·y without rounding.
func (s *exactSum) addProduct(x, y float64) {
	s.n++
	p := x * y
	s.put(p)
	if !math.IsInf(p, 0) && p == p {
		s.put(math.FMA(x, y, -p))
	}
}

// exactPrecision suffices for any sum of doubles, and for the square of one.
const exactPrecision = 4400

func (s *exactSum) big() *big.Float {
	sum := new(big.Float).SetPrec(exactPrecision)
	for _, x := range s.parts {
		sum.Add(sum, new(big.Float).SetFloat64(x))
	}
	return sum
}

// value returns the sum, rounded once.
func (s *exactSum) value() float64 {
	switch {
	case s.special != 0: // NaN, too
		return s.special
	case len(s.parts) == 1:
		return s.parts[0]
	}
	x, _ := s.big().Float64()
	return x
}

// moments holds the count, the sum and the sum of squares of values, all exact.
type moments struct{ sum, squares exactSum }

func (m *moments) add(x float64) {
	m.sum.add(x)
	m.squares.addProduct(x, x)
}

// mean returns the mean, or 0 without values, as in DataVec.
func (m *moments) mean() float64 {
	if m.sum.n == 0 {
		return 0
	}
	return m.sum.value() / float64(m.sum.n)
}

// variance divides by n-less. As in DataVec, it is NaN for 0/0, and -0.0 for 0/-1. A single value deviates by 0, even
// if it is NaN or infinite.
func (m *moments) variance(less int64) float64 {
	n := m.sum.n
	if n > 1 && (m.sum.special != 0 || m.squares.special != 0) {
		return math.NaN()
	}
	deviations := 0.0
	if n > 1 { // sum of squares - sum²/n
		s := m.sum.big()
		s.Mul(s, s).Quo(s, new(big.Float).SetInt64(n))
		d := m.squares.big()
		deviations, _ = d.Sub(d, s).Float64()
	}
	return max(deviations, 0) / float64(n-less)
}
