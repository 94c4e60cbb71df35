package pipeline

import "slices"

// cellMap is an operator that changes each value of one column.
type cellMap struct {
	at   int
	name string // the column's name, for errors; empty if do names it
	do   func(Value) (Value, error)
	// gives is the kind of all results; NullKind if they differ.
	gives ValueKind
	// real, unless nil, is do for numbers: do(v) is Double(real(v as a number)).
	real func(float64) float64
	// scale, unless nil, applies real to each number of a slice.
	scale func([]float64)
	// text, unless nil, is do for texts: do(v) is Text(text(v as a text)).
	text func(string) string
	// whole, unless nil, is do for texts: do(v) is an Integer or Long, depending on gives, of whole(v as a text).
	whole func(string) (int64, error)
	// list, unless nil, says that text keeps the texts in the list and replaces all others by rest.
	list *textTable
	rest string
}

func (*cellMap) operator() {}

func (m *cellMap) row(r Row) (Row, error) {
	v, err := m.cell(r[m.at])
	if err != nil {
		return nil, err
	}
	r[m.at] = v
	return r, nil
}

func (m *cellMap) cell(v Value) (Value, error) {
	out, err := m.do(v)
	if err != nil && m.name != "" {
		err = inColumn(m.name, err)
	}
	return out, err
}

func (m *cellMap) batch(b *Batch, s *scratch) (err error) {
	c := &b.columns[m.at]
	switch {
	case c.few():
		*c, err = c.mapped(s, m.cell)
		return err
	case m.real != nil && c.form == perEntryForm:
		m.ofEntries(c, s)
	case m.real != nil:
		out := sized(&s.reals, b.rows)
		if err := c.doubles(out); err != nil {
			return err
		}
		m.reals(out)
		*c = cells{form: realsForm, kind: DoubleKind, reals: out}
	case m.list != nil && c.form == textsForm:
		*c = m.listed(c.texts, s)
	case m.list != nil && c.form == patchedForm && c.base == textsForm && c.allTexts():
		*c = m.listedPatched(c, s)
	case m.whole != nil && c.ofTexts():
		return m.wholesOfEntries(c, s)
	case m.whole != nil && (c.form == textsForm || c.form == patchedForm && c.base == textsForm):
		out := sized(&s.integers, b.rows)
		if err := m.wholes(c, out); err != nil {
			return err
		}
		*c = cells{form: integersForm, kind: m.gives, integers: out}
	case m.text != nil && c.form == textsForm:
		out := textsBuilder{spans: s.spans[:0]}
		for i := range b.rows {
			out.add(m.text(c.texts.At(i)))
		}
		s.spans = out.spans
		*c = cells{form: textsForm, texts: out.texts()}
	default:
		return m.general(b, s)
	}
	return nil
}

// wholes converts texts, and each value that replaces texts once.
func (m *cellMap) wholes(c *cells, out []int64) (err error) {
	for i := range out {
		if c.form == patchedForm && c.index[i] >= 0 {
			continue
		}
		if out[i], err = m.whole(c.texts.At(i)); err != nil {
			return err
		}
	}
	if c.form == textsForm {
		return nil
	}
	for k, v := range c.values {
		made, err := m.cell(v)
		if err != nil && c.uses(k) {
			return err
		}
		for i, replaced := range c.index {
			if int(replaced) == k {
				out[i] = made.integer()
			}
		}
	}
	return nil
}

// reals applies the function to numbers.
func (m *cellMap) reals(x []float64) {
	if m.scale != nil {
		m.scale(x)
		return
	}
	for i, v := range x {
		x[i] = m.real(v)
	}
}

// listed keeps the texts of the list and replaces the others by rest.
func (m *cellMap) listed(texts Texts, s *scratch) cells {
	if s.listed == nil {
		for _, text := range m.list.list {
			s.listed = append(s.listed, Text(text))
		}
		s.listed = append(s.listed, Text(m.rest))
	}
	index := sized(&s.index, texts.Len())
	for i := range index {
		index[i] = m.place(texts.At(i))
	}
	return cells{form: chosenForm, values: s.listed, index: index}
}

// allTexts reports whether the few values are texts.
func (c *cells) allTexts() bool {
	return !slices.ContainsFunc(c.values, func(v Value) bool { return v.kind != TextKind })
}

// listedPatched is listed for texts of which some are replaced by a few values.
func (m *cellMap) listedPatched(c *cells, s *scratch) cells {
	out := m.listed(c.texts, s)
	for i, k := range c.index {
		if k >= 0 {
			out.index[i] = m.place(c.values[k].text)
		}
	}
	return out
}

// place returns the index of a text among those of listed.
func (m *cellMap) place(text string) int32 {
	if k := m.list.find(text); k >= 0 {
		return int32(k)
	}
	return int32(len(m.list.list))
}

// general processes any values, one by one.
func (m *cellMap) general(b *Batch, s *scratch) error {
	c := &b.columns[m.at]
	var out cells
	switch m.gives {
	case IntegerKind, LongKind:
		out = cells{form: integersForm, kind: m.gives, integers: sized(&s.integers, b.rows)}
	case DoubleKind, FloatKind:
		out = cells{form: realsForm, kind: m.gives, reals: sized(&s.reals, b.rows)}
	default:
		out = cells{form: valuesForm, values: sized(&s.values, b.rows)}
	}
	for i := range b.rows {
		v, err := m.cell(c.at(i))
		if err != nil {
			return err
		}
		switch out.form {
		case integersForm:
			out.integers[i] = v.integer()
		case realsForm:
			out.reals[i] = v.real()
		default:
			out.values[i] = v
		}
	}
	*c = out
	return nil
}

// doubles converts all values like [Value.Double]. The cells have no short list of values.
func (c *cells) doubles(out []float64) (err error) {
	switch c.form {
	case realsForm:
		copy(out, c.reals)
	case integersForm:
		for i, n := range c.integers {
			out[i] = float64(n)
		}
	case textsForm:
		return textDoubles(c.texts, out)
	case perEntryForm:
		c.entryReals(c.entries, out)
	case patchedForm:
		return c.patchedDoubles(out)
	default:
		for i := range out {
			if out[i], err = c.at(i).Double(); err != nil {
				return err
			}
		}
	}
	return nil
}

func textDoubles(texts Texts, out []float64) (err error) {
	for i := range out {
		if out[i], err = texts.double(i); err != nil {
			return err
		}
	}
	return nil
}

// patchedDoubles converts the few values once, and the cells that they do not replace.
func (c *cells) patchedDoubles(out []float64) (err error) {
	var few [8]float64
	var failed [8]error
	if len(c.values) > len(few) {
		for i := range out {
			if out[i], err = c.at(i).Double(); err != nil {
				return err
			}
		}
		return nil
	}
	for k, v := range c.values {
		few[k], failed[k] = v.Double()
	}
	switch base := c.unpatched(); base.form {
	case textsForm:
		for i, k := range c.index {
			if k < 0 {
				if out[i], err = c.texts.double(i); err != nil {
					return err
				}
			}
		}
	default:
		if err := base.doubles(out); err != nil {
			return err
		}
	}
	for i, k := range c.index {
		if k < 0 {
			continue
		}
		if out[i] = few[k&7]; failed[k&7] != nil {
			return failed[k&7]
		}
	}
	return nil
}

func (t Texts) double(i int) (float64, error) {
	if x, ok := t.number(i); ok {
		return x, nil
	}
	return Text(t.At(i)).Double()
}
