package pipeline

import (
	"slices"
	"time"

	"github.com/dl4go/dl4go/internal/joda"
)

// pick is an operator that selects columns of the row: from[i] is the old place of column i.
type pick struct {
	from    []int
	forward bool // no column moves to a later place
	swaps   [][2]int
}

func (*pick) operator() {}

func (p *pick) row(r Row) (Row, error) {
	switch {
	case p.forward:
		for to, i := range p.from {
			if to != i {
				r[to] = r[i]
			}
		}
		return r[:len(p.from)], nil
	case p.swaps != nil:
		for _, w := range p.swaps {
			r[w[0]], r[w[1]] = r[w[1]], r[w[0]]
		}
		return r, nil
	}
	old := len(r) // some columns occur twice
	r = widen(r, old-1, len(p.from)-old+1)
	for to := len(p.from) - 1; to >= 0; to-- { // from the end, where the place is free
		r[to] = r[p.from[to]]
	}
	return r, nil
}

func (p *pick) batch(b *Batch, s *scratch) error {
	s.list = append(s.list[:0], b.columns...)
	b.columns = b.columns[:0]
	for _, i := range p.from {
		b.columns = append(b.columns, s.list[i])
	}
	return nil
}

// appended is an operator that appends a column with one value.
type appended struct{ Value }

func (appended) operator() {}

func (a appended) row(r Row) (Row, error) { return append(r, a.Value), nil }

func (a appended) batch(b *Batch, s *scratch) error {
	values := sized(&s.values, 1)
	values[0] = a.Value
	b.columns = append(b.columns, cells{form: constantForm, values: values})
	return nil
}

// oneHot is an operator that replaces a column by n columns: 1 in that of the value, and 0 in the others.
type oneHot struct {
	at, n int
	which func(Value) (int, error)
	text  *textTable // unless nil, which returns the text's place in the table, or an error if it is not there
}

func (*oneHot) operator() {}

func (o *oneHot) row(r Row) (Row, error) {
	k, err := o.which(r[o.at])
	if err != nil {
		return nil, err
	}
	r = widen(r, o.at, o.n)
	for i := range o.n {
		r[o.at+i] = Integer(0)
	}
	r[o.at+k] = Integer(1)
	return r, nil
}

func (o *oneHot) batch(b *Batch, s *scratch) error {
	index := sized(&s.index, b.rows)
	c := &b.columns[o.at]
	if c.form == chosenForm {
		if err := o.ofChosen(c, index, s); err != nil {
			return err
		}
		o.replace(b, s, index)
		return nil
	}
	for i := range b.rows {
		k := -1
		if c.form == textsForm && o.text != nil {
			k = o.text.find(c.texts.At(i))
		}
		if k < 0 {
			var err error
			if k, err = o.which(c.at(i)); err != nil {
				return err
			}
		}
		index[i] = int32(k)
	}
	o.replace(b, s, index)
	return nil
}

// ofChosen calls which once for each of a few values.
func (o *oneHot) ofChosen(c *cells, index []int32, s *scratch) error {
	places := sized(&s.integers, len(c.values))
	for i, v := range c.values {
		places[i] = -1
		if k, err := o.which(v); err == nil {
			places[i] = int64(k)
		}
	}
	for i, k := range c.index {
		if places[k] < 0 {
			_, err := o.which(c.values[k])
			return err
		}
		index[i] = int32(places[k])
	}
	return nil
}

// replace replaces the column by the new ones.
func (o *oneHot) replace(b *Batch, s *scratch, index []int32) {
	s.list = append(s.list[:0], b.columns[o.at+1:]...)
	b.columns = b.columns[:o.at]
	for k := range o.n {
		b.columns = append(b.columns, cells{form: indicatorForm, pick: int32(k), index: index})
	}
	b.columns = append(b.columns, s.list...)
}

// derived is an operator that inserts columns with parts of a time after another column.
type derived struct {
	at, after int
	name      string // of the column at
	parts     []timePart
}

// timePart is a part of a time in a zone: a Text if text is not nil, or else an Integer field.
type timePart struct {
	field *joda.Field
	zone  *time.Location
	text  func(int64) string
}

func (p timePart) of(t int64) Value {
	if p.text != nil {
		return Text(p.text(t))
	}
	return Integer(int32(p.field.Of(t, p.zone)))
}

func (*derived) operator() {}

func (d *derived) row(r Row) (Row, error) {
	t, err := r[d.at].Long()
	if err != nil {
		return nil, inColumn(d.name, err)
	}
	behind, n := d.after+1, len(d.parts)
	old := len(r)
	r = slices.Grow(r, n)[:old+n]
	copy(r[behind+n:], r[behind:old])
	for i, part := range d.parts {
		r[behind+i] = part.of(t)
	}
	return r, nil
}

func (d *derived) batch(b *Batch, s *scratch) (err error) {
	c := b.columns[d.at]
	made := s.each(len(d.parts))
	s.list = append(s.list[:0], b.columns[d.after+1:]...)
	b.columns = b.columns[:d.after+1]
	defer func() { b.columns = append(b.columns, s.list...) }()
	var fields []*joda.Field
	var zone *time.Location // the zone of column at
	for _, part := range d.parts {
		if part.text == nil {
			fields, zone = append(fields, part.field), part.zone
		}
	}
	if c.form == perEntryForm && c.integers != nil && len(fields) == len(d.parts) {
		d.ofEntries(b, c, s, fields, zone)
		return nil
	}
	times := sized(&s.integers, b.rows)
	for i := range times {
		if c.form == integersForm {
			times[i] = c.integers[i]
		} else if times[i], err = c.at(i).Long(); err != nil {
			return err
		}
	}
	var values [][]int64
	for k, part := range d.parts {
		m := &made[k]
		if part.text == nil {
			out := sized(&m.integers, b.rows)
			values = append(values, out)
			b.columns = append(b.columns, cells{form: integersForm, kind: IntegerKind, integers: out})
			continue
		}
		texts := textsBuilder{spans: m.spans[:0]}
		for _, t := range times {
			texts.add(part.text(t))
		}
		m.spans = texts.spans
		b.columns = append(b.columns, cells{form: textsForm, texts: texts.texts()})
	}
	fieldsOf(fields, times, zone, values)
	return nil
}

// fieldsOf computes integers of 32 bits from times.
func fieldsOf(fields []*joda.Field, times []int64, zone *time.Location, values [][]int64) {
	joda.FieldsOf(fields, times, zone, values)
	for _, out := range values {
		for i, n := range out[:len(times)] {
			out[i] = int64(int32(n))
		}
	}
}

// ofEntries computes the fields of the entries that it has not seen.
func (d *derived) ofEntries(b *Batch, c cells, s *scratch, fields []*joda.Field, zone *time.Location) {
	fresh := s.perEntry.since(&c)
	times := sized(&s.integers, len(fresh))
	for i, e := range fresh {
		times[i] = c.integers[e]
	}
	values := make([][]int64, len(fields))
	for k := range fields {
		values[k] = sized(&s.columns[k].integers, len(times))
	}
	fieldsOf(fields, times, zone, values)
	for k := range fields {
		out := sized(&s.columns[k].perEntry.integers, c.log.size+besideEntries)
		for i, e := range fresh {
			out[e] = values[k][i]
		}
		b.columns = append(b.columns, c.resulting(IntegerKind, out, nil))
	}
}
