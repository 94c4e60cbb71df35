package pipeline

import "math"

// Batch holds some rows of a table, column by column. It is filled again and again; [Batch.Reset] keeps its memory.
// Data that is given to it must not change while the batch is in use.
type Batch struct {
	rows    int
	columns []cells
	from    []int32 // for each row, the row of the batch at the start of the run; nil if no row was removed
	null    [1]Value
}

// Reset empties the batch and makes room for the given columns and rows. Set all columns afterwards.
func (b *Batch) Reset(columns, rows int) {
	b.rows, b.from = rows, nil
	if cap(b.columns) < columns {
		b.columns = make([]cells, columns)
	}
	b.columns = b.columns[:columns]
	clear(b.columns)
}

// Rows is the number of rows.
func (b *Batch) Rows() int { return b.rows }

// From returns the number of the row from which a row was made, in the batch that was given to [BatchRun.Run].
func (b *Batch) From(row int) int {
	if b.from == nil {
		return row
	}
	return int(b.from[row])
}

// SetTexts sets a column to texts, one for each row.
func (b *Batch) SetTexts(column int, texts Texts) {
	b.columns[column] = cells{form: textsForm, texts: Texts{texts.all, texts.spans[:b.rows]}}
}

// SetDictionary says that the texts of a column, which were set with SetTexts, are entries of a dictionary: the text of
// row i is its entry entries[i]. An entry of −1 is for a row that SetNulls makes null.
func (b *Batch) SetDictionary(column int, of *Dictionary, entries []int32) {
	c := &b.columns[column]
	c.dictionary, c.entries = of, entries[:b.rows]
}

// SetReals sets a column to numbers of DoubleKind or FloatKind.
func (b *Batch) SetReals(column int, kind ValueKind, x []float64) {
	b.columns[column] = cells{form: realsForm, kind: kind, reals: x[:b.rows]}
}

// SetIntegers sets a column to numbers of IntegerKind or LongKind, or to ones and zeros of BooleanKind.
func (b *Batch) SetIntegers(column int, kind ValueKind, n []int64) {
	b.columns[column] = cells{form: integersForm, kind: kind, integers: n[:b.rows]}
}

// SetEntries sets a column to numbers of a dictionary: row i has its entry entries[i]. Rows that SetNulls makes null
// may have any of the entries.
func (b *Batch) SetEntries(column int, of *Dictionary, entries []int32) {
	b.columns[column] = cells{form: perEntryForm, kind: of.kind, integers: of.integers, reals: of.reals, log: of.log,
		entries: entries[:b.rows]}
}

// SetNulls makes the cells of some rows null in a column that was set to texts, reals, integers or entries. rows
// must ascend, and marks must have 0 for these rows and −1 for all others.
func (b *Batch) SetNulls(column int, rows, marks []int32) {
	c := &b.columns[column]
	c.base, c.form, c.values, c.index, c.patches = c.form, patchedForm, b.null[:], marks[:b.rows], rows
}

// SetValues sets a column to values of any kinds.
func (b *Batch) SetValues(column int, values []Value) {
	b.columns[column] = cells{form: valuesForm, values: values[:b.rows]}
}

// SetConstant sets a column to one value.
func (b *Batch) SetConstant(column int, v Value) { b.columns[column] = constant(v) }

// Select makes b hold the rows of another batch with other columns. columns has the index of each column in of, or −1
// for a column that has the value in absent instead.
func (b *Batch) Select(of *Batch, columns []int, absent []Value) {
	b.Reset(len(columns), of.rows)
	for i, at := range columns {
		if at >= 0 {
			b.columns[i] = of.columns[at]
		} else {
			b.columns[i] = constant(absent[i])
		}
	}
}

// Keep makes b a copy of a batch that was filled but not run. The copy has its own memory, which the next Keep reuses.
func (b *Batch) Keep(of *Batch) {
	b.rows, b.from = of.rows, nil
	if len(b.columns) != len(of.columns) {
		b.columns = make([]cells, len(of.columns))
	}
	for i := range b.columns {
		to, c := &b.columns[i], of.columns[i]
		c.texts.spans = append(to.texts.spans[:0], c.texts.spans...)
		if to.ofEntries() { // the numbers of a dictionary are shared
			to.reals, to.integers = nil, nil
		}
		if !c.ofEntries() {
			c.reals, c.integers = append(to.reals[:0], c.reals...), append(to.integers[:0], c.integers...)
		}
		c.values, c.index = append(to.values[:0], c.values...), append(to.index[:0], c.index...)
		c.entries, c.patches = append(to.entries[:0], c.entries...), append(to.patches[:0], c.patches...)
		*to = c
	}
}

// Value returns a cell.
func (b *Batch) Value(column, row int) Value { return b.columns[column].at(row) }

// AppendRow appends the cells of a row.
func (b *Batch) AppendRow(to Row, row int) Row {
	for i := range b.columns {
		to = append(to, b.columns[i].at(row))
	}
	return to
}

// Texts returns the cells of a column if all are texts.
func (b *Batch) Texts(column int) (texts Texts, ok bool) {
	c := &b.columns[column]
	return c.texts, c.form == textsForm
}

// Chosen returns the cells of a column if they are choices of a few values: row i has values[index[i]].
func (b *Batch) Chosen(column int) (values []Value, index []int32, ok bool) {
	c := &b.columns[column]
	return c.values, c.index, c.form == chosenForm
}

// form says how cells store their values.
type form uint8

const (
	valuesForm    form = iota // a value for each row
	textsForm                 // texts
	realsForm                 // numbers of kind
	integersForm              // likewise
	constantForm              // the only element of values
	chosenForm                // values[index[i]]
	patchedForm               // values[index[i]], or the cell of base if index[i] is negative
	indicatorForm             // Integer 1 where index is pick, and 0 elsewhere
	perEntryForm              // the number of kind at entries[i], of integers or reals; see perEntry
)

// cells are the values of a column in a batch. They never change.
type cells struct {
	form     form
	base     form // of patchedForm: textsForm, realsForm, integersForm or perEntryForm
	kind     ValueKind
	pick     int32
	texts    Texts
	reals    []float64
	integers []int64
	values   []Value
	index    []int32
	patches  []int32 // of patchedForm: the rows whose index is not negative, in ascending order; empty if unknown
	// The dictionary of the texts; it may be nil. Cells of an entry are equal, unless patchedForm replaces them. Other
	// cells have the entry −1.
	dictionary *Dictionary
	entries    []int32
	log        *entryLog // of perEntryForm: the entries that have results
	beside     int       // likewise: the number of results after those of the entries
}

func constant(v Value) cells { return cells{form: constantForm, values: []Value{v}} }

func (c *cells) at(i int) Value {
	switch c.form {
	case textsForm:
		return Value{kind: TextKind, text: c.texts.At(i)}
	case realsForm:
		return Value{kind: c.kind, bits: math.Float64bits(c.reals[i])}
	case integersForm:
		return Value{kind: c.kind, bits: uint64(c.integers[i])}
	case constantForm:
		return c.values[0]
	case chosenForm:
		return c.values[c.index[i]]
	case patchedForm:
		if k := c.index[i]; k >= 0 {
			return c.values[k]
		}
		base := c.unpatched()
		return base.at(i)
	case indicatorForm:
		if c.index[i] == c.pick {
			return Integer(1)
		}
		return Integer(0)
	case perEntryForm:
		return c.entry(c.entries[i])
	}
	return c.values[i]
}

// unpatched returns the cells of patchedForm without the replacements.
func (c *cells) unpatched() cells {
	return cells{form: c.base, kind: c.kind, texts: c.texts, reals: c.reals, integers: c.integers,
		dictionary: c.dictionary, entries: c.entries, log: c.log, beside: c.beside}
}

// few reports whether the values come from a short list.
func (c *cells) few() bool { return c.form == constantForm || c.form == chosenForm }
