package pipeline

import "strings"

// memoTexts is the maximum number of different texts of a column that are remembered. Steps process each of them once,
// instead of in each row. Columns with more texts are processed as they are.
const memoTexts = 64

// textMemo numbers the different texts of a column, batch after batch.
type textMemo struct {
	off    bool // too many different texts
	slots  [4 * memoTexts]uint8
	keys   []uint64
	values []Value
	index  []int32
	null   int32 // the number of null, counted from 1; 0 if there was none

	dictionary *Dictionary // of the last texts that had one
	entries    []int32     // the numbers of its entries, counted from 1; 0 if an entry was not seen
}

// rawTexts reports whether cells are texts, or nulls.
func (c *cells) rawTexts() bool {
	return c.form == textsForm ||
		c.form == patchedForm && c.base == textsForm && len(c.values) == 1 && c.values[0].IsNull()
}

// chosen converts cells to a choice of a few values. The cells must be texts or nulls. It returns them unchanged if
// there are too many different ones.
func (m *textMemo) chosen(c cells) cells {
	if m.off {
		return c
	}
	if c.dictionary != nil && c.dictionary != m.dictionary {
		m.dictionary = c.dictionary
		m.entries = sized(&m.entries, c.dictionary.size)
		clear(m.entries)
	}
	index := sized(&m.index, c.texts.Len())
	var few bool
	switch {
	case c.form == patchedForm:
		few = m.orNulls(&c, index)
	case c.dictionary != nil:
		few = m.entriesOf(&c, index, 0)
	default:
		few = m.ofTexts(c.texts, index)
	}
	if !few {
		*m = textMemo{off: true}
		return c
	}
	return cells{form: chosenForm, values: m.values, index: index}
}

func (m *textMemo) ofTexts(texts Texts, index []int32) bool {
	for i := range index {
		k := m.place(texts, i)
		if k < 0 {
			return false
		}
		index[i] = k
	}
	return true
}

// entriesOf numbers the entries of the rows of index, of which the first has the given number.
func (m *textMemo) entriesOf(c *cells, index []int32, first int) bool {
	known := m.entries
	for i, e := range c.entries[first:][:len(index)] {
		k := known[e]
		if k == 0 {
			if k = m.place(c.texts, first+i) + 1; k == 0 {
				return false
			}
			known[e] = k
		}
		index[i] = k - 1
	}
	return true
}

// orNulls numbers texts and nulls.
func (m *textMemo) orNulls(c *cells, index []int32) bool {
	if c.dictionary != nil && len(c.patches) > 0 {
		return m.entriesOrNulls(c, index)
	}
	for i, replaced := range c.index {
		k := int32(0)
		switch {
		case replaced >= 0:
			k = m.ofNull()
		case c.dictionary == nil:
			k = m.place(c.texts, i) + 1
		default:
			e := c.entries[i]
			if k = m.entries[e]; k == 0 {
				k = m.place(c.texts, i) + 1
				m.entries[e] = k
			}
		}
		if k == 0 {
			return false
		}
		index[i] = k - 1
	}
	return true
}

// entriesOrNulls is orNulls for entries of a dictionary and known rows of nulls.
func (m *textMemo) entriesOrNulls(c *cells, index []int32) bool {
	null := m.ofNull()
	first := 0
	for _, row := range c.patches {
		if null == 0 || !m.entriesOf(c, index[first:row], first) {
			return false
		}
		index[row], first = null-1, int(row)+1
	}
	return m.entriesOf(c, index[first:], first)
}

// ofNull returns the number of null, counted from 1, or 0 if there are too many values.
func (m *textMemo) ofNull() int32 {
	if m.null == 0 && len(m.values) < memoTexts {
		m.keys, m.values = append(m.keys, 0), append(m.values, Null())
		m.null = int32(len(m.values))
	}
	return m.null
}

// place returns the number of a text; −1 if there are too many.
func (m *textMemo) place(t Texts, i int) int32 {
	s := t.spans[i]
	n := s.To - s.From
	key := uint64(0)
	if n <= 8 && uint64(s.From)+8 <= uint64(len(t.all)) {
		key = eightBytes(t.all[s.From:][:8]) & (1<<(8*n) - 1)
	} else {
		key = endsOf(t.all[s.From:s.To])
	}
	key ^= uint64(n) << 56 // distinguishes all texts below 8 bytes
	const mask = len(m.slots) - 1
	for at := int(key * 0x9e3779b97f4a7c15 >> 56); ; at = (at + 1) & mask {
		k := int(m.slots[at]) - 1
		if k < 0 {
			return m.add(at, key, t.At(i))
		}
		if m.keys[k] == key && (n < 8 && len(m.values[k].text) < 8 || m.values[k].text == t.At(i)) {
			return int32(k)
		}
	}
}

// endsOf returns the first eight bytes of a text, mixed with the last ones.
func endsOf(s string) (key uint64) {
	if n := len(s); n >= 8 {
		return eightBytes(s) ^ eightBytes(s[n-8:])*3
	}
	for i := range len(s) {
		key |= uint64(s[i]) << (8 * i)
	}
	return key
}

// eightBytes returns the first eight bytes of a text, the first one in the lowest byte.
func eightBytes(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 |
		uint64(s[6])<<48 | uint64(s[7])<<56
}

func (m *textMemo) add(slot int, key uint64, text string) int32 {
	if len(m.values) == memoTexts {
		return -1
	}
	m.keys, m.values = append(m.keys, key), append(m.values, Text(strings.Clone(text)))
	m.slots[slot] = uint8(len(m.values))
	return int32(len(m.values) - 1)
}

// mapped returns cells with their few values converted. An error only counts if a row has the value.
func (c *cells) mapped(s *scratch, do func(Value) (Value, error)) (cells, error) {
	values := sized(&s.values, len(c.values))
	for k, v := range c.values {
		var err error
		if values[k], err = do(v); err != nil && c.uses(k) {
			return cells{}, err
		}
	}
	return cells{form: c.form, values: values, index: c.index}, nil
}

// uses reports whether a row has the k-th of few values.
func (c *cells) uses(k int) bool {
	if c.form == constantForm {
		return true
	}
	for _, i := range c.index {
		if int(i) == k {
			return true
		}
	}
	return false
}
