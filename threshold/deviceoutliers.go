package threshold

import (
	"math"

	"github.com/dl4go/dl4go/program"
)

// outliers emits the elements after the outliers among them have moved further. orders has 1 more than the logarithm of
// each one's multiple, and 0 for other elements. step is the magnitude.
func outliers(b *program.Builder, x, step *program.Value) (moved, orders *program.Value) {
	n, one, zero := x.Shape[0], b.Scalar(1), b.Scalar(0)
	magnitude := b.Unary(program.Abs, x)
	var limits, multiples []float64
	for i := range powers - 1 {
		multiples = append(multiples, float64(int(1)<<i))
		limits = append(limits, float64(float32(math.Sqrt2))*multiples[i])
	}
	reached := b.Binary(program.GreaterEqual, b.Reshape(magnitude, n, 1), b.Mul(step, b.Const(limits, powers-1)))
	multiple := b.Add(b.Sum(b.Mul(reached, b.Const(multiples, powers-1)), 1), one)
	far := b.Binary(program.GreaterEqual, magnitude, b.Mul(step, b.Scalar(outlying)))
	by := b.Select(far, b.Mul(multiple, step), b.Fill(0, n))
	moved = b.Select(b.Binary(program.GreaterEqual, x, zero), b.Sub(x, by), b.Add(x, by))
	return moved, b.Mul(far, b.Add(b.Sum(reached, 1), one))
}

// further appends the outliers of a layer to their message, and returns the sum of their multiples. words has the
// layer's moves. An outlier has the sign of its move: an element that has not moved is below 1.5 magnitudes.
func (d *onDevice) further(e *Encoder, l *layer, words []uint32, orders []float32, by float32) (multiples int) {
	m, from := &e.outliers, len(e.outliers.Entries)
	for i, packed := range orders {
		for rest, k := int(packed), 0; rest != 0; rest, k = rest>>4, k+1 {
			if rest&15 == 0 {
				continue
			}
			at := 4*i + k
			entry := int32(l.from + at + 1)
			if words[at/16]>>(at%16)&0x10000 != 0 {
				entry = -entry
			}
			m.Entries, m.Multiples = append(m.Entries, entry), append(m.Multiples, 1<<(rest&15-1))
		}
	}
	return l.endOutliers(m, from, by)
}
