package threshold

import (
	"encoding/binary"
	"math"
)

// Section is a range of parameters whose values have one magnitude, such as those of a layer. It begins where the
// section before it ends.
type Section struct {
	End       int     // the parameter after its last
	Count     int     // of its values
	Magnitude float32 // of each value: above 0 and finite, or 0 if there are none
}

// scaled is a scaled message.
type scaled struct{ *Message }

// all yields the values.
func (m scaled) all(yield func(int, float32) bool) {
	if m.marked() {
		m.allMarked(yield)
		return
	}
	from := 0
	for _, s := range m.Sections {
		for k, e := range m.Entries[from : from+s.Count] {
			by := s.Magnitude * m.multiple(from+k)
			if e < 0 && !yield(int(-e-1), -by) || e > 0 && !yield(int(e-1), by) {
				return
			}
		}
		from += s.Count
	}
}

// multiple returns how many magnitudes an entry's parameter moves.
func (m scaled) multiple(entry int) float32 {
	if len(m.Multiples) == 0 {
		return 1
	}
	return float32(m.Multiples[entry])
}

// Moved returns the sum of the magnitudes of all values.
func (m *Message) Moved() float64 {
	switch m.Form {
	case Scaled:
		sum, from := 0.0, 0
		for _, s := range m.Sections {
			n := s.Count
			if len(m.Multiples) > 0 {
				n = total(m.Multiples[from : from+s.Count])
			}
			sum += float64(n) * float64(s.Magnitude)
			from += s.Count
		}
		return sum
	default:
		return float64(m.Count) * float64(m.Threshold)
	}
}

func (m scaled) validate() error {
	if m.Threshold != 0 {
		return invalid("a scaled message has a threshold")
	}
	if m.marked() {
		return m.validateMarked()
	}
	if err := m.validateEntries(); err != nil {
		return err
	}
	if len(m.Multiples) != 0 && len(m.Multiples) != m.Count {
		return invalid("%d entries have %d multiples", m.Count, len(m.Multiples))
	}
	for _, n := range m.Multiples {
		if n < 1 || n > maxMultiple {
			return invalid("a multiple of %d: must be from 1 to %d", n, maxMultiple)
		}
	}
	return m.validateSections()
}

// maxMultiple is the largest multiple of a magnitude. A float32 holds all multiples of a power of two up to it.
const maxMultiple = 1 << 22

func total(multiples []int32) (n int) {
	for _, k := range multiples {
		n += int(k)
	}
	return n
}

// validateSections checks the sections of a message whose entries are valid, or that has words.
func (m scaled) validateSections() error {
	start, from := 0, 0
	for i, s := range m.Sections {
		if s.End <= start || s.End > m.Length || s.Count < 0 || s.Count > min(s.End-start, m.Count-from) {
			return invalid("section %d, of %d values, ends at parameter %d of %d", i, s.Count, s.End, m.Length)
		}
		if s.Count == 0 {
			if s.Magnitude != 0 {
				return invalid("section %d has a magnitude, but no values", i)
			}
			start = s.End
			continue
		}
		if !usable(s.Magnitude) {
			return invalid("section %d has a magnitude of %g: must be a number above 0", i, s.Magnitude)
		}
		if m.marked() {
			start, from = s.End, from+s.Count
			continue
		}
		own := m.Entries[from : from+s.Count]
		if abs(own[0]) <= uint32(start) || abs(own[s.Count-1]) > uint32(s.End) {
			return invalid("section %d has values of other sections", i)
		}
		start, from = s.End, from+s.Count
	}
	if start != m.Length || from != m.Count {
		return invalid("the sections have %d of %d parameters and %d of %d values", start, m.Length, from, m.Count)
	}
	return nil
}

// addScaled adds a scaled message, times sign, to a vector.
func (c *Coder) addScaled(m *Message, target []float32, sign float32) {
	if (scaled{m}).marked() {
		c.addAlike([]*Message{m}, target, sign)
		return
	}
	from := 0
	for _, s := range m.Sections {
		own := m.Entries[from : from+s.Count]
		switch {
		case len(m.Multiples) > 0:
			c.addMultiples(target, own, m.Multiples[from:from+s.Count], sign*s.Magnitude)
		case len(own) > 0:
			c.addEntries(target, own, sign*s.Magnitude)
		}
		from += s.Count
	}
}

// addMultiples adds a multiple of t to the element of each entry.
func (c *Coder) addMultiples(x []float32, entries, multiples []int32, t float32) {
	c.do((len(entries)+chunk-1)/chunk, task{x: x, entries: entries, multiples: multiples, t: t,
		run: func(c *Coder, i int) {
			w := &c.work
			from, to := i*chunk, min(i*chunk+chunk, len(w.entries))
			for k, e := range w.entries[from:to] {
				by := float32(w.multiples[from+k]) * w.t
				if e < 0 {
					by = -by
				}
				x := &w.x[abs(e)-1]
				*x += by
			}
		}})
}

// appendSections appends the sections in the wire format.
func (m scaled) appendSections(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(m.Sections)))
	start := 0
	for _, s := range m.Sections {
		dst = binary.AppendUvarint(dst, uint64(s.End-start))
		dst = binary.AppendUvarint(dst, uint64(s.Count))
		if s.Count > 0 {
			dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.Magnitude))
		}
		start = s.End
	}
	return dst
}

// read reads the sections and values.
func (m scaled) read(r *wireReader, coding int) error {
	at := r.at
	n, ok := r.uvarint()
	if !ok || n == 0 || 2*n > uint64(len(r.b)-r.at) {
		r.at = at
		return r.problem("a message of %d sections in %d bytes", n, len(r.b)-at)
	}
	m.Sections = grow(m.Sections, int(n))
	start := 0
	for i := range m.Sections {
		if err := m.Sections[i].read(r, start, m.Length); err != nil {
			return err
		}
		start = m.Sections[i].End
		m.Count += m.Sections[i].Count
	}
	if err := m.readValues(r, coding); err != nil {
		return err
	}
	if err := m.validateSections(); err != nil {
		return r.problem("%w", err)
	}
	return nil
}

// readValues reads the values of the sections.
func (m scaled) readValues(r *wireReader, coding int) error {
	switch coding {
	case codeDense:
		return m.readMarked(r)
	case codeDenseMultiples:
		return m.readDense(r)
	}
	least := 2 // bits for a value
	if coding == codeMultiples {
		least = 3
	}
	if size := 8 * (len(r.b) - r.at); m.Count == 0 || least*m.Count > size {
		return r.problem("a message of %d values in %d bits", m.Count, size)
	}
	if coding == codeMultiples {
		m.Multiples = grow(m.Multiples, m.Count)
	}
	return m.readEntries(r)
}

// read reads a section that begins at a parameter.
func (s *Section) read(r *wireReader, start, length int) error {
	at := r.at
	size, sized := r.uvarint()
	count, counted := r.uvarint()
	if !sized || !counted || size == 0 || size > uint64(length-start) || count > size {
		r.at = at
		return r.problem("a section of %d values for %d parameters, after %d of %d", count, size, start, length)
	}
	*s = Section{End: start + int(size), Count: int(count)}
	if count == 0 {
		return nil
	}
	if len(r.b)-r.at < 4 {
		return r.problem("a message ends in the magnitude of a section")
	}
	s.Magnitude = math.Float32frombits(binary.LittleEndian.Uint32(r.b[r.at:]))
	if !usable(s.Magnitude) {
		return r.problem("a magnitude of %g: must be a number above 0", s.Magnitude)
	}
	r.at += 4
	return nil
}
