package pipeline

import "slices"

// conditional is an operator that changes a column where a condition holds.
type conditional struct {
	at    int
	holds func(Row) (bool, error)
	cell  *cellTest // the condition if it is on one column; nil otherwise
	yes   Value     // the value if it holds, unless from names another column
	from  int       // −1: use yes
	no    *Value    // the value if it does not hold; nil: the column's own value
}

func (*conditional) operator() {}

func (c *conditional) row(r Row) (Row, error) {
	yes, err := c.holds(r)
	switch {
	case err != nil:
		return nil, err
	case yes && c.from >= 0:
		r[c.at] = r[c.from]
	case yes:
		r[c.at] = c.yes
	case c.no != nil:
		r[c.at] = *c.no
	}
	return r, nil
}

func (c *conditional) batch(b *Batch, s *scratch) error {
	if done, err := c.ofChosen(b, s); done {
		return err
	}
	picked, n, err := c.pick(b, s)
	if err != nil {
		return err
	}
	switch to := &b.columns[c.at]; {
	case c.from < 0 && c.no != nil:
		*to = choice(*c.no, c.yes, picked, s)
	case n == 0:
	case c.from < 0 && to.form == constantForm:
		*to = choice(to.values[0], c.yes, picked, s)
	case c.from < 0 && to.form == textsForm:
		values := sized(&s.values, 1)
		values[0] = c.yes
		index := sized(&s.index, b.rows)
		for i, yes := range picked {
			if index[i] = -1; yes {
				index[i] = 0
			}
		}
		*to = cells{form: patchedForm, base: textsForm, texts: to.texts, values: values, index: index,
			dictionary: to.dictionary, entries: to.entries}
	case c.from < 0 && to.form == patchedForm:
		*to = to.patched(c.yes, picked, s)
	default:
		c.values(b, s, picked)
	}
	return nil
}

// ofChosen evaluates the condition once for each of a few values, if that suffices. It reports whether it did.
func (c *conditional) ofChosen(b *Batch, s *scratch) (done bool, err error) {
	if c.cell == nil || c.from >= 0 {
		return false, nil
	}
	of, to := b.columns[c.cell.at], &b.columns[c.at]
	if of.form != chosenForm || c.at != c.cell.at && c.no == nil && to.form != constantForm {
		return false, nil
	}
	no := c.no
	if no == nil && c.at != c.cell.at {
		no = &to.values[0]
	}
	made, err := of.mapped(s, func(v Value) (Value, error) {
		yes, err := c.cell.test(v)
		switch {
		case yes:
			return c.yes, err
		case no != nil:
			return *no, err
		}
		return v, err
	})
	if err == nil {
		*to = made
	}
	return true, err
}

// patched replaces the picked values by one more value.
func (c *cells) patched(v Value, picked []bool, s *scratch) cells {
	out := *c
	out.patches = nil
	out.index = sized(&s.index, len(picked))
	left, more := false, int32(len(c.values))
	for i, yes := range picked {
		k := c.index[i]
		if yes {
			k = more
		} else if k >= 0 {
			left = true
		}
		out.index[i] = k
	}
	s.values = s.values[:0]
	if left {
		s.values = append(s.values, c.values...)
	} else { // no earlier replacement is left, usually
		for i, k := range out.index {
			out.index[i] = min(k, 0)
		}
	}
	s.values = append(s.values, v)
	out.values = s.values
	return out
}

// values turns the column into one of values of any kind.
func (c *conditional) values(b *Batch, s *scratch, picked []bool) {
	values := sized(&s.values, b.rows)
	to := &b.columns[c.at]
	for i, yes := range picked {
		switch {
		case yes && c.from >= 0:
			values[i] = b.columns[c.from].at(i)
		case yes:
			values[i] = c.yes
		default:
			values[i] = to.at(i)
		}
	}
	*to = cells{form: valuesForm, values: values}
}

// choice returns a column of two values.
func choice(no, yes Value, picked []bool, s *scratch) cells {
	values := sized(&s.values, 2)
	values[0], values[1] = no, yes
	index := sized(&s.index, len(picked))
	for i, p := range picked {
		k := int32(0)
		if p {
			k = 1
		}
		index[i] = k
	}
	return cells{form: chosenForm, values: values, index: index}
}

// pick evaluates the condition for all rows, and counts those for which it holds.
func (c *conditional) pick(b *Batch, s *scratch) (picked []bool, n int, err error) {
	s.asked, s.index0 = nil, nil
	var of *cells
	if c.cell != nil {
		of = &b.columns[c.cell.at]
		if of.form == textsForm && c.cell.set != nil {
			picked, n = c.cell.within(of, s)
			return picked, n, nil
		}
		if of.form == patchedForm && c.cell.set != nil {
			return c.cell.patched(of, s)
		}
		if c.cell.never(of) {
			picked = sized(&s.picked, b.rows)
			clear(picked)
			return picked, 0, nil
		}
	}
	picked = sized(&s.picked, b.rows)
	for i := range picked {
		yes := false
		switch {
		case of == nil:
			s.row = b.AppendRow(s.row[:0], i)
			yes, err = c.holds(s.row)
		case of.form == textsForm && c.cell.text != nil:
			yes = c.cell.text(of.texts.At(i))
		default:
			yes, err = c.cell.test(of.at(i))
		}
		if err != nil {
			return nil, 0, err
		}
		if picked[i] = yes; yes {
			n++
		}
	}
	return picked, n, nil
}

// cellTest is a condition on the values of one column.
type cellTest struct {
	at   int
	test func(Value) (bool, error)
	text func(string) bool // test for a text, unless nil
	set  *textTable        // unless nil, test only checks whether a text is in it
	not  bool
	// others are the answers for values that are not null if these don't depend on the values; 0 if they do.
	others answers
	// between returns the answers for values between two bounds, except for null and NaN. If it is nil, any answer is
	// possible.
	between func(low, high Value) answers
}

// never reports whether the condition holds for no cell, because the cells are numbers and the set has none.
func (t *cellTest) never(c *cells) bool {
	if t.set == nil || t.set.number || t.not {
		return false
	}
	switch c.form {
	case integersForm:
		return c.kind != BooleanKind
	case perEntryForm:
		if c.integers != nil {
			return c.kind != BooleanKind
		}
		for _, e := range c.entries {
			if x := c.reals[e]; x-x != 0 {
				return false
			}
		}
		return true
	case realsForm:
		var a, b, d, e float64 // NaN if a number is not finite; four sums, so that none waits for another
		x := c.reals
		for ; len(x) >= 4; x = x[4:] {
			a += x[0] - x[0]
			b += x[1] - x[1]
			d += x[2] - x[2]
			e += x[3] - x[3]
		}
		for _, v := range x {
			a += v - v
		}
		return a+b+d+e == 0
	}
	return false
}

// within looks texts up in the set, and counts those for which the condition holds.
func (t *cellTest) within(c *cells, s *scratch) (picked []bool, n int) {
	texts := c.texts
	if s.before != nil && s.before.asked == &texts.spans[0] {
		return s.before.picked[:texts.Len()], s.before.yes
	}
	picked, n = t.ofTexts(c, s)
	s.asked, s.yes = &texts.spans[0], n
	return picked, n
}

func (t *cellTest) ofTexts(c *cells, s *scratch) (picked []bool, n int) {
	picked = sized(&s.picked, c.texts.Len())
	if c.dictionary != nil {
		return picked, t.ofEntries(c, picked, s)
	}
	for i := range picked {
		yes := t.ofText(c.texts.At(i))
		if yes {
			n++
		}
		picked[i] = yes
	}
	return picked, n
}

func (t *cellTest) ofText(text string) bool {
	return (t.set.may(text) && t.set.find(text) >= 0) != t.not
}

// ofEntries looks each entry of the dictionary up once.
func (t *cellTest) ofEntries(c *cells, picked []bool, s *scratch) (n int) {
	known := s.perEntry.of(c.dictionary)
	for i, e := range c.entries {
		if e < 0 {
			picked[i] = t.ofText(c.texts.At(i))
		} else {
			if known[e] == 0 {
				known[e] = 1
				if t.ofText(c.texts.At(i)) {
					known[e] = 2
				}
			}
			picked[i] = known[e] == 2
		}
		if picked[i] {
			n++
		}
	}
	return n
}

// patched evaluates the condition once for each of the few values, and then for the cells without them.
func (t *cellTest) patched(c *cells, s *scratch) (picked []bool, n int, err error) {
	if s.before != nil && s.before.index0 == &c.index[0] {
		return s.before.picked[:len(c.index)], s.before.yes, nil
	}
	switch base := c.unpatched(); {
	case base.form == textsForm:
		picked, _ = t.ofTexts(&base, s)
	case t.never(&base):
		picked = sized(&s.picked, len(c.index))
		clear(picked)
	default:
		picked = sized(&s.picked, len(c.index))
		for i := range picked {
			if picked[i], err = t.test(base.at(i)); err != nil {
				return nil, 0, err
			}
		}
	}
	few := sized(&s.few, len(c.values))
	for k, v := range c.values {
		if few[k], err = t.test(v); err != nil {
			return nil, 0, err
		}
	}
	for i, k := range c.index {
		if k >= 0 {
			picked[i] = few[k]
		}
		if picked[i] {
			n++
		}
	}
	s.index0, s.yes = &c.index[0], n
	return picked, n, nil
}

// sameQuestion reports whether two operators test the texts of a column for the same set.
func sameQuestion(a, b batcher) bool {
	x, ok := a.(*conditional)
	y, also := b.(*conditional)
	return ok && also && x.cell != nil && y.cell != nil && x.cell.set != nil && y.cell.set != nil &&
		x.cell.at == y.cell.at && x.cell.not == y.cell.not && slices.Equal(x.cell.set.list, y.cell.set.list)
}

// cellCondition is a Condition on the values of one column.
type cellCondition interface {
	Condition
	bindCell(in *Schema) (*cellTest, error)
}

// ofRow returns the condition on rows.
func (t *cellTest) ofRow() func(Row) (bool, error) {
	at, test := t.at, t.test
	return func(r Row) (bool, error) { return test(r[at]) }
}

// bindOnRow implements Bind of a cellCondition.
func bindOnRow(c cellCondition, in *Schema) (func(Row) (bool, error), error) {
	t, err := c.bindCell(in)
	if err != nil {
		return nil, err
	}
	return t.ofRow(), nil
}
