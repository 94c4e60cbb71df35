package threshold

import (
	"math"
	"slices"
)

// outlying is how much of a value must wait after a message has moved it by its section's magnitude, in such
// magnitudes, so that it moves further.
const outlying = 1.5

// Outliers returns a message that belongs to that of the last Encode, and comes after it. With Options.Mean, values
// that still are 1.5 magnitudes or more then move by a further multiple of the magnitude, the power of two that is
// nearest by ratio. Otherwise a layer's largest values would wait for several steps. The message is empty if there are
// no such values. It is valid until the next Encode.
func (e *Encoder) Outliers() *Message { return &e.outliers }

// further appends the outliers of a layer, which the coder has found, to their message. It takes them out of the
// residual. by is the layer's magnitude.
func (e *Encoder) further(l *layer, by float32) {
	m, from := &e.outliers, len(e.outliers.Entries)
	for i, n := range e.coder.found {
		m.Entries = append(m.Entries, e.coder.scratch[i*room:i*room+int(n)]...)
	}
	own := m.Entries[from:]
	m.Multiples = slices.Grow(m.Multiples, len(own))
	for k, at := range own {
		if at < 0 {
			own[k] = at - int32(l.from)
		} else {
			own[k] = at + int32(l.from)
		}
		v := &e.residual[abs(own[k])-1]
		n := nearestPower(max(*v, -*v) / by)
		if *v < 0 {
			*v += float32(n) * by
		} else {
			*v -= float32(n) * by
		}
		m.Multiples = append(m.Multiples, n)
	}
	s := Section{End: l.to, Count: len(own)}
	if s.Count > 0 {
		s.Magnitude = by
	}
	m.Sections = append(m.Sections, s)
	m.Count += s.Count
}

// nearestPower returns the power of two from 1 to 1,024 that is nearest to a number above 1 by ratio.
func nearestPower(ratio float32) int32 {
	fraction, exponent := math.Frexp(float64(ratio))
	if fraction < math.Sqrt2/2 {
		exponent--
	}
	return 1 << min(exponent, 10)
}
