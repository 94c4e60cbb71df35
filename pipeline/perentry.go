package pipeline

import "math"

// Columns of perEntryForm have numbers that belong to the entries of a dictionary: those of a file, or those that steps
// made of them. A step computes the result of an entry once. The entries with results are in an entryLog. A step that
// has not seen all of it, because it did not get some batches in this form, computes what it lacks.

// Dictionary lists the texts or numbers that the cells of a column may have, in many batches. Steps process an entry
// once, and not each cell that has it.
type Dictionary struct {
	texts    Texts
	size     int
	kind     ValueKind // of numbers
	integers []int64
	reals    []float64
	log      *entryLog // of numbers: all entries
}

// NewDictionary returns a dictionary of texts, which must not change.
func NewDictionary(texts Texts) *Dictionary { return &Dictionary{texts: texts, size: texts.Len()} }

// NewIntegers returns a dictionary of numbers of IntegerKind or LongKind, which must not change.
func NewIntegers(kind ValueKind, n []int64) *Dictionary {
	return &Dictionary{size: len(n), kind: kind, integers: n, log: wholeLog(len(n))}
}

// NewReals returns a dictionary of numbers of DoubleKind or FloatKind, which must not change.
func NewReals(kind ValueKind, x []float64) *Dictionary {
	return &Dictionary{size: len(x), kind: kind, reals: x, log: wholeLog(len(x))}
}

// entryLog lists the entries that have results, in the order in which they got them.
type entryLog struct {
	size    int // of the dictionary
	entries []int32
}

func wholeLog(size int) *entryLog {
	l := &entryLog{size, make([]int32, size)}
	for i := range l.entries {
		l.entries[i] = int32(i)
	}
	return l
}

// entryResults are what a step found out about the entries of a dictionary.
type entryResults struct {
	dictionary *Dictionary
	known      []uint8 // 0 for an entry of which nothing is known
	integers   []int64
	reals      []float64
	log        *entryLog // of the step's own results
	// done entries of the log from, which is another step's, have results.
	from  *entryLog
	done  int
	fresh []int32
	// apart reports whether no entry is in a set of texts.
	apart bool
}

// of returns the known results on a dictionary. It forgets those on another one.
func (r *entryResults) of(d *Dictionary) (known []uint8) {
	known = sized(&r.known, d.size)
	if r.dictionary != d {
		r.dictionary, r.log = d, &entryLog{size: d.size}
		clear(known)
	}
	return known
}

// since returns the entries of cells whose results the step has not yet seen, and the places beside them that are used.
func (r *entryResults) since(c *cells) []int32 {
	if r.from != c.log {
		r.from, r.done = c.log, 0
	}
	r.fresh = append(r.fresh[:0], c.log.entries[r.done:]...)
	r.done = len(c.log.entries)
	for k := range c.beside {
		r.fresh = append(r.fresh, int32(c.log.size+k))
	}
	return r.fresh
}

const (
	// maxEntries limits the entries of a dictionary of numbers. The results of more would miss the caches.
	maxEntries = 1 << 16
	// besideEntries is the number of results after those of the entries, for values that replace some of the cells.
	besideEntries = 8
)

// ofTexts reports whether steps can compute the results of a dictionary's texts, and not of each row.
func (c *cells) ofTexts() bool {
	return c.dictionary != nil && c.dictionary.size <= maxEntries &&
		(c.form == textsForm || c.form == patchedForm && c.base == textsForm && len(c.values) <= besideEntries)
}

// ofEntries reports whether cells have perEntryForm, apart from those that are replaced.
func (c *cells) ofEntries() bool {
	return c.form == perEntryForm || c.form == patchedForm && c.base == perEntryForm
}

// entry returns the result of an entry.
func (c *cells) entry(e int32) Value {
	if c.integers != nil {
		return Value{kind: c.kind, bits: uint64(c.integers[e])}
	}
	return Value{kind: c.kind, bits: math.Float64bits(c.reals[e])}
}

// entryReals sets x to the results of some entries as Doubles.
func (c *cells) entryReals(entries []int32, x []float64) {
	if c.integers == nil {
		for i, e := range entries {
			x[i] = c.reals[e]
		}
		return
	}
	for i, e := range entries {
		x[i] = float64(c.integers[e])
	}
}

// resulting returns cells with other results of the same entries.
func (c *cells) resulting(kind ValueKind, integers []int64, reals []float64) cells {
	return cells{form: perEntryForm, kind: kind, integers: integers, reals: reals, entries: c.entries, log: c.log,
		beside: c.beside}
}

// wholesOfEntries converts the texts of a dictionary, and the values that replace some of them.
func (m *cellMap) wholesOfEntries(c *cells, s *scratch) (err error) {
	r := &s.perEntry
	known := r.of(c.dictionary)
	out := cells{entries: c.entries, log: r.log}
	results := sized(&r.integers, len(known)+besideEntries)
	if c.form == patchedForm {
		out.entries, out.beside = besideOf(c, len(known), s), len(c.values)
		for k, v := range c.values {
			made, err := m.cell(v)
			if err != nil && c.uses(k) {
				return err
			}
			results[len(known)+k] = made.integer()
		}
	}
	for i, e := range out.entries {
		if uint(e) >= uint(len(known)) || known[e] > 0 {
			continue
		}
		if results[e], err = m.whole(c.texts.At(i)); err != nil {
			return err
		}
		known[e], r.log.entries = 1, append(r.log.entries, e)
	}
	*c = out.resulting(m.gives, results, nil)
	return nil
}

// besideOf returns the entries of cells of patchedForm. Those that are replaced have the places after size.
func besideOf(c *cells, size int, s *scratch) []int32 {
	out := sized(&s.entries, len(c.entries))
	copy(out, c.entries)
	if len(c.patches) > 0 {
		for _, i := range c.patches {
			out[i] = int32(size) + c.index[i]
		}
		return out
	}
	for i, k := range c.index {
		if k >= 0 {
			out[i] = int32(size) + k
		}
	}
	return out
}

// ofEntries applies the function to the results that it has not seen.
func (m *cellMap) ofEntries(c *cells, s *scratch) {
	fresh := s.perEntry.since(c)
	results := sized(&s.perEntry.reals, c.log.size+besideEntries)
	m.resultsOf(c, fresh, results, s)
	*c = c.resulting(DoubleKind, nil, results)
}

// resultsOf applies the function to the results of some entries.
func (m *cellMap) resultsOf(c *cells, entries []int32, results []float64, s *scratch) {
	x := sized(&s.reals, len(entries))
	c.entryReals(entries, x)
	m.reals(x)
	for i, e := range entries {
		results[e] = x[i]
	}
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
