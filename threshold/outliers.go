package threshold

import (
	"math"
	"slices"
)

// outlying is how much of a value must wait after a message has moved it by its section's magnitude, in such
// magnitudes, so that it moves further.
const outlying = 1.5

// powers is the number of powers of two by which outliers move: from 1 to 1,024.
const powers = 11

// Outliers returns a message that belongs to that of the last Encode, and comes after it. With Options.Mean, values
// that still are 1.5 magnitudes or more then move by a further multiple of the magnitude, the power of two that is
// nearest by ratio, at most 1,024. Otherwise a layer's largest values would wait for several steps. The message is
// empty if there are no such values. It is valid until the next Encode.
func (e *Encoder) Outliers() *Message { return &e.outliers }

// further appends the layer's outliers, the elements that reach above, to their message. It takes them out of the
// residual, and returns the sum of their multiples. The coder has found those for which there was room. by is the
// layer's magnitude.
func (l *layer) further(e *Encoder, by, above float32) (multiples int) {
	m, from := &e.outliers, len(e.outliers.Entries)
	x := e.residual[l.from:l.to]
	for i, n := range e.coder.found {
		m.Entries = append(m.Entries, e.coder.scratch[i*room:i*room+int(n)]...)
		at := int(e.coder.seen[i])
		for _, end := part(i, len(x)); at < end; {
			had := len(m.Entries)
			m.Entries = slices.Grow(m.Entries, room)
			found, seen := e.coder.set.Find(m.Entries[had:had+room], x[at:end], above, at)
			m.Entries = m.Entries[:had+found]
			at += seen
		}
	}
	own := m.Entries[from:]
	m.Multiples = slices.Grow(m.Multiples, len(own))
	for k, at := range own {
		v := &x[abs(at)-1]
		n := nearestPower(max(*v, -*v), by)
		if at < 0 {
			own[k] = at - int32(l.from)
			*v += float32(n) * by
		} else {
			own[k] = at + int32(l.from)
			*v -= float32(n) * by
		}
		m.Multiples = append(m.Multiples, n)
	}
	return l.endOutliers(m, from, by)
}

// endOutliers appends the layer's section to a message whose entries from one on are its outliers. It returns the sum
// of their multiples.
func (l *layer) endOutliers(m *Message, from int, by float32) (multiples int) {
	s := Section{End: l.to, Count: len(m.Entries) - from}
	if s.Count > 0 {
		s.Magnitude = by
	}
	m.Sections = append(m.Sections, s)
	m.Count += s.Count
	return total(m.Multiples[from:])
}

// nearestPower returns the power of two from 1 to 1,024 that is nearest to v/by by ratio. It does not divide, so that
// devices come to the same.
func nearestPower(v, by float32) int32 {
	n := int32(1)
	for limit := math.Sqrt2 * by; n < 1<<(powers-1) && v >= limit; limit *= 2 {
		n *= 2
	}
	return n
}
