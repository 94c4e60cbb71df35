package parquet

import (
	"math"
	"slices"
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
	nulls    []int32 // 0 for rows without a value, and −1 for others
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
	n := r.rows // values
	if len(l.pos) > 0 {
		n = r.rows - b.findNulls(l.pos)
	}
	switch c.Type {
	case pipeline.FloatType, pipeline.DoubleType:
		kind := pipeline.DoubleKind
		if c.Type == pipeline.FloatType {
			kind = pipeline.FloatKind
		}
		to.SetReals(at, kind, inRows(l.reals(kind, n, b), l.pos, &b.spreadReals))
	case pipeline.IntegerType, pipeline.BooleanType:
		kind := pipeline.IntegerKind
		if c.Type == pipeline.BooleanType {
			kind = pipeline.BooleanKind
		}
		to.SetIntegers(at, kind, inRows(widened(l.values.i32[:n], &b.integers), l.pos, &b.spreadIntegers))
	case pipeline.LongType:
		b.integers = b.integers[:0]
		for i := range n {
			x, err := l.long(i)
			if err != nil {
				row := i
				if len(l.pos) > 0 {
					row = slices.Index(l.pos, int32(i))
				}
				return r.errorf(column, row, "%v", err)
			}
			b.integers = append(b.integers, x)
		}
		to.SetIntegers(at, pipeline.LongKind, inRows(b.integers, l.pos, &b.spreadIntegers))
	case pipeline.TimeType:
		b.integers = b.integers[:0]
		for i := range n {
			b.integers = append(b.integers, l.millis(i))
		}
		to.SetIntegers(at, pipeline.LongKind, inRows(b.integers, l.pos, &b.spreadIntegers))
	case pipeline.StringType:
		if !l.setTexts(to, at, r.rows, b) {
			return r.errorf(column, 0, "the texts of %d rows have more than 4 GB", r.rows)
		}
	default:
		return r.anyValues(column, to, at)
	}
	if len(l.pos) > 0 {
		to.SetNulls(at, b.nulls)
	}
	return nil
}

// findNulls counts the rows without a value, and marks them.
func (b *cellBuffers) findNulls(pos []int32) (n int) {
	b.nulls = slices.Grow(b.nulls[:0], len(pos))[:len(pos)]
	for i, k := range pos {
		b.nulls[i] = -1
		if k < 0 {
			b.nulls[i] = 0
			n++
		}
	}
	return n
}

// inRows distributes numbers to their rows. The other rows have zero.
func inRows[T int64 | float64](of []T, pos []int32, to *[]T) []T {
	if len(pos) == 0 {
		return of
	}
	return distributed(of, pos, 0, to)
}

// distributed distributes values to their rows. The other rows have none.
func distributed[T any](of []T, pos []int32, none T, to *[]T) []T {
	out := slices.Grow((*to)[:0], len(pos))[:len(pos)]
	*to = out
	for i, k := range pos {
		if out[i] = none; k >= 0 {
			out[i] = of[k]
		}
	}
	return out
}

// anyValues is Column for values of any kind.
func (r *Reader) anyValues(column int, to *pipeline.Batch, at int) error {
	c := &r.columns[column]
	b := &c.cells
	b.values = b.values[:0]
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
	spans, entries := l.texts.spans, l.texts.entries
	if len(l.pos) > 0 {
		spans = distributed(spans, l.pos, pipeline.Span{}, &b.spans)
		if dictionary != nil {
			entries = distributed(entries, l.pos, -1, &b.entries)
		}
	}
	to.SetTexts(at, pipeline.TextsOf(all, spans))
	if dictionary != nil {
		to.SetDictionary(at, dictionary, entries)
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
