package parquet

import (
	"math"
	"strings"

	"github.com/dl4go/dl4go/pipeline"
)

// cellBuffers are the cells of a column in batches.
type cellBuffers struct {
	reals    []float64
	integers []int64
	spans    []pipeline.Span
	entries  []int32
	values   []pipeline.Value
	marks    []int32 // 0 for rows without a value, and −1 for others
	marked   []int32 // the rows that have 0 in marks
	// the numbers by row, if some rows have none
	spreadReals    []float64
	spreadIntegers []int64
}

// Column sets a column of a batch to the values of the rows that Next has read. column is an index into the Reader's
// columns. The values are valid until the next call of Next; texts remain valid.
func (r *Reader) Column(column int, to *pipeline.Batch, at int) (err error) {
	defer rescue(r.file.path, &err)
	c := &r.columns[column]
	l := &c.leaves[0]
	if c.form != scalar {
		return r.anyValues(column, to, at)
	}
	b := &c.cells
	n := l.pos.values()
	if of := c.dictionary(l); of != nil {
		to.SetEntries(at, of, inRows(l.values.entries, &l.pos, 0, &b.entries))
		if len(l.pos.nulls) > 0 {
			to.SetNulls(at, l.pos.nulls, b.mark(&l.pos))
		}
		return nil
	}
	l.values.resolve()
	switch c.Type {
	case pipeline.FloatType, pipeline.DoubleType:
		kind := pipeline.DoubleKind
		if c.Type == pipeline.FloatType {
			kind = pipeline.FloatKind
		}
		to.SetReals(at, kind, inRows(l.reals(kind, n, b), &l.pos, 0, &b.spreadReals))
	case pipeline.IntegerType, pipeline.BooleanType:
		kind := pipeline.IntegerKind
		if c.Type == pipeline.BooleanType {
			kind = pipeline.BooleanKind
		}
		to.SetIntegers(at, kind, inRows(widened(l.values.i32[:n], &b.integers), &l.pos, 0, &b.spreadIntegers))
	case pipeline.LongType:
		b.integers = b.integers[:0]
		for i := range n {
			x, err := l.long(i)
			if err != nil {
				return r.errorf(column, l.pos.rowOf(i), "%v", err)
			}
			b.integers = append(b.integers, x)
		}
		to.SetIntegers(at, pipeline.LongKind, inRows(b.integers, &l.pos, 0, &b.spreadIntegers))
	case pipeline.TimeType:
		b.integers = b.integers[:0]
		for i := range n {
			b.integers = append(b.integers, l.millis(i))
		}
		to.SetIntegers(at, pipeline.LongKind, inRows(b.integers, &l.pos, 0, &b.spreadIntegers))
	case pipeline.StringType:
		if !l.setTexts(to, at, r.rows, b) {
			return r.errorf(column, 0, "the texts of %d rows have more than 4 GB", r.rows)
		}
	default:
		return r.anyValues(column, to, at)
	}
	if len(l.pos.nulls) > 0 {
		to.SetNulls(at, l.pos.nulls, b.mark(&l.pos))
	}
	return nil
}

// mark marks the rows without a value. It changes the marks of the rows before only where they differ.
func (b *cellBuffers) mark(p *places) []int32 {
	for _, row := range b.marked {
		b.marks[row] = -1
	}
	for len(b.marks) < p.rows {
		b.marks = append(b.marks, -1)
	}
	b.marked = append(b.marked[:0], p.nulls...)
	for _, row := range b.marked {
		b.marks[row] = 0
	}
	return b.marks[:p.rows]
}

// maxBatchNumbers limits the numbers in all arrays of a batch: a few bytes of a file may be a vector with many zeros.
const maxBatchNumbers = 1 << 25

// anyValues is Column for values of any kind. Arrays that are too large together are an error: read them row by row.
func (r *Reader) anyValues(column int, to *pipeline.Batch, at int) error {
	c := &r.columns[column]
	b := &c.cells
	clear(b.values) // the arrays of the batch before
	b.values = b.values[:0]
	for i := 0; i < r.rows && r.rows > 1 && c.form != scalar; i++ {
		if r.numbers += c.size(i); r.numbers > maxBatchNumbers {
			return r.errorf(column, i, "the arrays of %d rows have more than %d numbers", r.rows, maxBatchNumbers)
		}
	}
	for i := range r.rows {
		v, err := r.Value(column, i)
		if err != nil {
			return err
		}
		b.values = append(b.values, v)
	}
	to.SetValues(at, b.values)
	return nil
}

// reals are the values of a column of floats or doubles.
func (l *leafReader) reals(kind pipeline.ValueKind, rows int, b *cellBuffers) []float64 {
	switch {
	case l.physical == physicalDouble && kind == pipeline.DoubleKind:
		return l.values.f64[:rows]
	case l.physical == physicalFloat:
		return widened(l.values.f32[:rows], &b.reals)
	}
	b.reals = b.reals[:0]
	for i := range rows {
		x := l.number(i)
		if kind == pipeline.FloatKind {
			x = float64(float32(x))
		}
		b.reals = append(b.reals, x)
	}
	return b.reals
}

func widened[T int32 | float32, W int64 | float64](from []T, to *[]W) []W {
	if cap(*to) < len(from) {
		*to = make([]W, len(from))
	}
	out := (*to)[:len(from)]
	for i, x := range from {
		out[i] = W(x)
	}
	return out
}

// setTexts sets a column of a batch to the texts of rows; "" for rows without one. It returns false if they are too
// large for one block of memory.
func (l *leafReader) setTexts(to *pipeline.Batch, at, rows int, b *cellBuffers) bool {
	if !l.text {
		texts, ok := l.copiedTexts(rows, b)
		if ok {
			to.SetTexts(at, texts)
		}
		return ok
	}
	if !l.texts.join() {
		return false
	}
	all := ""
	if len(l.texts.parts) > 0 {
		all = l.texts.parts[0].all
	}
	dictionary := l.texts.dictionary()
	to.SetTexts(at, pipeline.TextsOf(all, inRows(l.texts.spans, &l.pos, pipeline.Span{}, &b.spans)))
	if dictionary != nil {
		to.SetDictionary(at, dictionary, inRows(l.texts.entries, &l.pos, -1, &b.entries))
	}
	return true
}

// copiedTexts returns texts that are not in the file as they are, in one block of memory.
func (l *leafReader) copiedTexts(rows int, b *cellBuffers) (texts pipeline.Texts, ok bool) {
	b.spans = b.spans[:0]
	var block strings.Builder
	for i := range rows {
		from := uint32(block.Len())
		if k := l.pos.at(i); k >= 0 {
			block.WriteString(l.string(k))
		}
		if block.Len() > math.MaxUint32 {
			return texts, false
		}
		b.spans = append(b.spans, pipeline.Span{From: from, To: uint32(block.Len())})
	}
	return pipeline.TextsOf(block.String(), b.spans), true
}
