package threshold

import "math/bits"

// valueReader reads the values of a valid message, in ascending order of their parameters. Each is the number that
// Coder.Add adds to the parameter, or Coder.Subtract with a sign of -1.
type valueReader struct {
	at    int     // the parameter of the present value; the number of parameters after the last value
	value float32 // the present value

	m       *Message
	sign    float32
	by      float32 // the threshold or the magnitude, times the sign
	next    int     // the next entry, or the next word
	section int     // the next one
	left    int     // entries or words that are left in the present section
	base    int     // the first parameter of the present word
	word    uint32
	rest    uint32 // values that are left in the present word
}

// begin begins to read a message.
func (r *valueReader) begin(m *Message, sign float32) {
	*r = valueReader{m: m, sign: sign, by: sign * m.Threshold}
	switch m.Form {
	case Sparse:
		r.left = len(m.Entries)
	case Bitmap:
		r.left, r.base = len(m.Words), -16
	}
	r.advance()
}

// advance reads the next value.
func (r *valueReader) advance() {
	m := r.m
	if len(m.Words) > 0 {
		r.advanceWords()
		return
	}
	if r.next == len(m.Entries) {
		r.at = m.Length
		return
	}
	for r.left == 0 {
		s := m.Sections[r.section]
		r.section++
		r.left, r.by = s.Count, r.sign*s.Magnitude
	}
	r.left--
	e, value := m.Entries[r.next], r.by
	if len(m.Multiples) > 0 {
		value = float32(m.Multiples[r.next]) * r.by
	}
	if e < 0 {
		e, value = -e, -value
	}
	r.next++
	r.at, r.value = int(e)-1, value
}

// advanceWords reads the next value of a message that has words.
func (r *valueReader) advanceWords() {
	for r.rest == 0 {
		if !r.nextWord() {
			r.at = r.m.Length
			return
		}
	}
	j := bits.TrailingZeros32(r.rest)
	r.rest &= r.rest - 1
	r.at = r.base + j
	switch r.word >> j & 0x10001 {
	case 1:
		r.value = r.by
	case 0x10001:
		r.value = -r.by
	default:
		r.value = -(r.by / 2)
	}
}

// nextWord reads the next word. It reports false after the last one.
func (r *valueReader) nextWord() bool {
	r.base += 16
	for r.left == 0 {
		if r.section == len(r.m.Sections) {
			return false
		}
		r.nextMarked()
	}
	r.left--
	r.word = r.m.Words[r.next]
	r.rest = (r.word | r.word>>16) & 0xffff
	r.next++
	return true
}

// nextMarked begins the next section of a scaled message that has words.
func (r *valueReader) nextMarked() {
	s, from := r.m.Sections[r.section], 0
	if r.section > 0 {
		from = r.m.Sections[r.section-1].End
	}
	r.section++
	if s.Count > 0 {
		r.left, r.by, r.base = (s.End-from+15)/16, r.sign*s.Magnitude, from
	}
}
