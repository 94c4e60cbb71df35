package pipeline

import "math"

// Columns of perEntryForm have numbers that steps made of the entries of a dictionary. A step computes the result of an
// entry once, in the first batch that has it: the first of such steps lists these entries in fresh, and the steps after
// it compute the results of those alone. So each step sees each batch, or the run forgets what it knows.

// entryResults are what a step found out about the entries of a dictionary.
type entryResults struct {
	dictionary *Dictionary
	known      []uint8 // 0 for an entry of which nothing is known
	integers   []int64
	reals      []float64
	fresh      []int32
}

// of returns the known results on a dictionary. It forgets those on another one.
func (r *entryResults) of(d *Dictionary) (known []uint8) {
	known = sized(&r.known, d.texts.Len())
	if r.dictionary != d {
		r.dictionary = d
		clear(known)
	}
	return known
}

const (
	// maxPerEntry limits the entries of dictionaries. The results of many would miss the caches.
	maxPerEntry = 1 << 16
	// besideEntries is the number of results after those of the entries, for values that replace texts.
	besideEntries = 8
)

// perEntry reports whether steps can compute the results of the dictionary's entries, and not of each row.
func (c *cells) perEntry() bool {
	return c.dictionary != nil && c.dictionary.texts.Len() <= maxPerEntry &&
		(c.form == textsForm || c.form == patchedForm && c.base == textsForm && len(c.values) <= besideEntries)
}

// entry returns the result of an entry.
func (c *cells) entry(e int32) Value {
	if c.integers != nil {
		return Value{kind: c.kind, bits: uint64(c.integers[e])}
	}
	return Value{kind: c.kind, bits: math.Float64bits(c.reals[e])}
}

// resulting returns cells with other results of the same entries.
func (c *cells) resulting(kind ValueKind, integers []int64, reals []float64) cells {
	return cells{form: perEntryForm, kind: kind, integers: integers, reals: reals, dictionary: c.dictionary,
		entries: c.entries, fresh: c.fresh}
}

// wholesOfEntries converts the entries of a dictionary, and the values that replace some of them.
func (m *cellMap) wholesOfEntries(c *cells, s *scratch) (err error) {
	r := &s.perEntry
	known := r.of(c.dictionary)
	out := cells{entries: c.entries, dictionary: c.dictionary, fresh: r.fresh[:0]}
	results := sized(&r.integers, len(known)+besideEntries)
	if c.form == patchedForm {
		out.entries = sized(&s.entries, len(c.entries))
		for i, e := range c.entries {
			if k := c.index[i]; k >= 0 {
				e = int32(len(known)) + k
			}
			out.entries[i] = e
		}
		for k, v := range c.values {
			made, err := m.cell(v)
			if err != nil && c.uses(k) {
				return err
			}
			e := len(known) + k
			results[e], out.fresh = made.integer(), append(out.fresh, int32(e))
		}
	}
	for i, e := range out.entries {
		if uint(e) >= uint(len(known)) || known[e] > 0 {
			continue
		}
		if results[e], err = m.whole(c.texts.At(i)); err != nil {
			return err
		}
		known[e], out.fresh = 1, append(out.fresh, e)
	}
	r.fresh = out.fresh
	*c = out.resulting(m.gives, results, nil)
	return nil
}

// ofEntries applies the function to the results of new entries.
func (m *cellMap) ofEntries(c *cells, s *scratch) {
	x := sized(&s.reals, len(c.fresh))
	for i, e := range c.fresh {
		if c.integers != nil {
			x[i] = float64(c.integers[e])
		} else {
			x[i] = c.reals[e]
		}
	}
	m.reals(x)
	results := sized(&s.perEntry.reals, max(len(c.integers), len(c.reals)))
	for i, e := range c.fresh {
		results[e] = x[i]
	}
	*c = c.resulting(DoubleKind, nil, results)
}

// entryFloats writes the results of some rows.
func (c *cells) entryFloats(from, end int, to []float32, stride int) bool {
	if c.integers != nil {
		for i, e := range c.entries[from:end] {
			to[i*stride] = float32(float64(c.integers[e]))
		}
		return true
	}
	odd := uint32(0) // see writeFinite
	for i, e := range c.entries[from:end] {
		y := float32(c.reals[e])
		to[i*stride] = y
		odd |= math.Float32bits(y)&(1<<31-1) + 1<<23
	}
	return odd>>31 == 0
}
