package pipeline

import "math"

// twice is a number of about 106 bits: the sum of two that do not overlap. Sines in this form are rounded correctly
// except for ties, which hardly occur. Java's are nearly always rounded correctly, too. Go's may be off in the last
// place, which shows in the text of a midpoint.
type twice struct{ high, low float64 }

func (a twice) times(b twice) twice {
	p := a.high * b.high
	rest := math.FMA(a.high, b.high, -p) + (a.high*b.low + a.low*b.high)
	return sumOf(p, rest)
}

func (a twice) plus(b twice) twice {
	sum, rest := twoSum(a.high, b.high)
	return sumOf(sum, rest+(a.low+b.low))
}

func (a twice) over(n float64) twice {
	q := a.high / n
	return sumOf(q, (math.FMA(-q, n, a.high)+a.low)/n)
}

// sumOf returns the sum of two numbers, the larger one first.
func sumOf(a, b float64) twice {
	sum := a + b
	return twice{sum, b - (sum - a)}
}

// sincos sums the series, for angles within a full turn. For others it is only as exact as Go's.
func sincos(x float64) (sin, cos twice) {
	if !(math.Abs(x) <= 2*math.Pi) {
		s, c := math.Sincos(x)
		return twice{s, 0}, twice{c, 0}
	}
	square := twice{x, 0}.times(twice{-x, 0})
	sin, cos = twice{x, 0}, twice{1, 0}
	s, c := sin, cos
	for n := 1.0; n < 60; n += 2 {
		c = c.times(square).over(n * (n + 1))
		s = s.times(square).over((n + 1) * (n + 2))
		cos, sin = cos.plus(c), sin.plus(s)
	}
	return sin, cos
}

// atan2 corrects the last place of math.Atan2 by a step of Newton's method.
func atan2(y, x float64) float64 {
	angle := math.Atan2(y, x)
	if angle == 0 || angle != angle {
		return angle
	}
	sin, cos := sincos(angle)
	over := twice{y, 0}.times(cos).plus(twice{-x, 0}.times(sin))
	along := x*cos.high + y*sin.high
	return angle + over.high/along
}
