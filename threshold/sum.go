package threshold

import (
	"math"
	"slices"
)

// Sum adds up scaled messages whose magnitudes are powers of two (Options.Powers), to one message. Nothing is rounded,
// so the order of the messages has no meaning. Only one goroutine at a time may use it.
type Sum struct {
	coder   *Coder
	total   []float32
	units   []unit
	highest []float32 // of the multiples in each section of a message
}

// unit is the range of a section's magnitudes.
type unit struct {
	end       int
	low, high float32 // 0 if no message has values there
	messages  int     // with values there
}

// NewSum returns an empty sum of messages for length parameters.
func NewSum(c *Coder, length int) *Sum { return &Sum{coder: c, total: make([]float32, length)} }

// Add adds a message, which may itself be a sum. It reports false, and adds nothing, if the message is no scaled one,
// or if its sections are not those of the others. The same holds if its magnitudes are no powers of two, or so far from
// those of the others that a sum would be rounded. An empty message adds nothing and reports true.
func (s *Sum) Add(m *Message) bool {
	if m.Form == Empty {
		return true
	}
	if m.Form != Scaled || m.Length != len(s.total) || !s.widen(m) {
		return false
	}
	s.coder.addScaled(m, s.total, 1)
	return true
}

// widen makes room for the magnitudes of a message, if the sums stay exact.
func (s *Sum) widen(m *Message) bool {
	if len(s.units) == 0 {
		for _, of := range m.Sections {
			s.units = append(s.units, unit{end: of.End})
		}
	}
	if len(m.Sections) != len(s.units) {
		return false
	}
	s.highest = grow(s.highest, len(m.Sections))
	from := 0
	for i, of := range m.Sections {
		s.highest[i] = 1
		if len(m.Multiples) > 0 && of.Count > 0 {
			s.highest[i] = float32(slices.Max(m.Multiples[from : from+of.Count]))
		}
		from += of.Count
		u := s.units[i].with(of, s.highest[i])
		if u.end != of.End || float64(u.messages)*float64(u.high) > maxMultiple*float64(u.low) {
			return false
		}
	}
	for i, of := range m.Sections {
		s.units[i] = s.units[i].with(of, s.highest[i])
	}
	return true
}

// with returns the unit with the magnitude of another message's section, whose values have up to highest multiples of
// it. If it is no power of two, low is 0.
func (u unit) with(s Section, highest float32) unit {
	if s.Count == 0 {
		return u
	}
	u.messages++
	if fraction, exponent := math.Frexp(float64(s.Magnitude)); fraction != 0.5 || exponent < -100 || exponent > 100 {
		return unit{end: u.end, high: 1, messages: 1}
	}
	if u.high == 0 {
		u.low = s.Magnitude
	}
	u.low, u.high = min(u.low, s.Magnitude), max(u.high, highest*s.Magnitude)
	return u
}

// Take sets a message to the sum, and makes the sum empty. The message is empty if all values cancel out.
func (s *Sum) Take(m *Message) {
	m.Reset(len(s.total))
	m.Form = Scaled
	start := 0
	for _, u := range s.units {
		section := Section{End: u.end}
		if u.high > 0 {
			section.Count = s.section(m, start, u)
		}
		if section.Count > 0 {
			section.Magnitude = u.low
		}
		m.Sections = append(m.Sections, section)
		m.Count += section.Count
		start = u.end
	}
	if m.Count == 0 {
		m.Reset(len(s.total))
	}
	s.Drop()
}

// section appends the values of a section to a message, and returns their number.
func (s *Sum) section(m *Message, start int, u unit) (count int) {
	c, x, from := s.coder, s.total[start:u.end], len(m.Entries)
	n := blocksOf(len(x))
	c.counts = grow(c.counts, n)
	c.do(n, task{x: x, run: func(c *Coder, i int) {
		from, to := part(i, len(c.work.x))
		c.counts[i] = c.set.Count(c.work.x[from:to], math.SmallestNonzeroFloat32)
	}})
	for i, k := range c.counts {
		c.counts[i] = count
		count += k
	}
	m.Entries = slices.Grow(m.Entries, count)[:from+count]
	m.Multiples = slices.Grow(m.Multiples, count)[:from+count]
	c.do(n, task{x: x, entries: m.Entries[from:], multiples: m.Multiples[from:], t: 1 / u.low, base: start,
		run: multiplesOf})
	return count
}

// multiplesOf writes the entries and multiples of a block. t is the inverse of their unit.
func multiplesOf(c *Coder, i int) {
	w, k := &c.work, c.counts[i]
	from, to := part(i, len(w.x))
	for j, v := range w.x[from:to] {
		if v == 0 {
			continue
		}
		n := int32(v * w.t)
		e := int32(w.base + from + j + 1)
		if n < 0 {
			n, e = -n, -e
		}
		w.entries[k], w.multiples[k] = e, n
		k++
	}
}

// Drop makes the sum empty.
func (s *Sum) Drop() {
	clear(s.total)
	s.units = s.units[:0]
}
