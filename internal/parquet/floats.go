package parquet

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/pipeline"
)

// Numeric reports whether a column has numbers, or arrays of them.
func (c Column) Numeric() bool {
	return slices.Contains([]pipeline.ColumnType{pipeline.DoubleType, pipeline.FloatType, pipeline.IntegerType,
		pipeline.LongType,
		pipeline.BooleanType, pipeline.ArrayType}, c.Type)
}

// Width is how many numbers the first of the rows that Next read has in a column: 1 in one of numbers.
func (r *Reader) Width(column int) (int, error) {
	c := &r.columns[column]
	if c.form == scalar {
		return 1, nil
	}
	a, err := c.array(0)
	if err == nil && a == nil {
		err = errMissing
	}
	if err != nil {
		return 0, r.errorf(column, 0, "%v", err)
	}
	return len(a.Data), nil
}

type problem string

func (p problem) Error() string { return string(p) }

const (
	errMissing  = problem("the value is missing")
	errInfinite = problem("the value is not a finite number")
)

// Float32s puts the numbers of a column into those rows of to that Next read: width in each, the first of row i at
// to[i*stride]. A row without a number, with NaN or an infinity, or with an array of another size, is an error.
func (r *Reader) Float32s(column, width int, to []float32, stride int) (err error) {
	defer rescue(r.file.path, &err)
	c := &r.columns[column]
	l := &c.leaves[0]
	l.values.resolve()
	row := 0
	switch {
	case c.form == scalar && len(l.pos.nulls) > 0:
		row, err = l.sparseFloats(r.rows, to, stride)
	case c.form == scalar:
		row, err = l.denseFloats(r.rows, to, stride)
	default:
		row, err = c.arrayFloats(r.rows, width, to, stride)
	}
	if err != nil {
		return r.errorf(column, row, "%v", err)
	}
	return nil
}

// denseFloats is for columns without nulls.
func (l *leafReader) denseFloats(rows int, to []float32, stride int) (row int, err error) {
	plain := l.logical.kind != logicalDecimal && !l.logical.unsigned
	switch {
	case l.physical == physicalFloat:
		row = spread(l.values.f32[:rows], to, stride)
	case l.physical == physicalDouble:
		row = spread(l.values.f64[:rows], to, stride)
	case plain && (l.physical == physicalInt32 || l.physical == physicalBoolean):
		row = spread(l.values.i32[:rows], to, stride)
	case plain && l.physical == physicalInt64:
		row = spread(l.values.i64[:rows], to, stride)
	default:
		for row < rows && put(to, row*stride, l.number(row)) {
			row++
		}
	}
	if row < rows {
		return row, errInfinite
	}
	return 0, nil
}

// spread writes numbers up to the first one that is not finite. It returns how many it wrote.
func spread[T float32 | float64 | int32 | int64](from []T, to []float32, stride int) int {
	at := 0
	for i, x := range from {
		y := float32(x)
		if y-y != 0 {
			return i
		}
		to[at] = y
		at += stride
	}
	return len(from)
}

func put(to []float32, at int, x float64) bool {
	y := float32(x)
	to[at] = y
	return y-y == 0
}

func (l *leafReader) sparseFloats(rows int, to []float32, stride int) (row int, err error) {
	for row := range rows {
		i := l.pos.at(row)
		if i < 0 {
			return row, errMissing
		}
		if !put(to, row*stride, l.number(i)) {
			return row, errInfinite
		}
	}
	return 0, nil
}

func (c *columnReader) arrayFloats(rows, width int, to []float32, stride int) (row int, err error) {
	for row := range rows {
		if c.form == list {
			if done, err := c.leaves[0].listFloats(row, width, to[row*stride:]); done || err != nil {
				if err != nil {
					return row, err
				}
				continue
			}
		}
		a, err := c.array(row)
		if err == nil && a == nil {
			err = errMissing
		}
		if err != nil {
			return row, err
		}
		if len(a.Data) != width {
			return row, wrongWidth(len(a.Data), width)
		}
		for i, x := range a.Data {
			if !put(to, row*stride+i, x) {
				return row, errInfinite
			}
		}
	}
	return 0, nil
}

// listFloats copies a list of floats or doubles. It is not done where the list has other numbers or is incomplete.
func (l *leafReader) listFloats(row, width int, to []float32) (done bool, err error) {
	entries, values := int(l.from[row+1]-l.from[row]), int(l.start[row+1]-l.start[row])
	if entries != values || l.maxRep > 1 {
		return false, nil
	}
	if values != width {
		return false, wrongWidth(values, width)
	}
	n, at := 0, int(l.start[row])
	switch l.physical {
	case physicalFloat:
		n = spread(l.values.f32[at:at+values], to, 1)
	case physicalDouble:
		n = spread(l.values.f64[at:at+values], to, 1)
	default:
		return false, nil
	}
	if n < values {
		return false, errInfinite
	}
	return true, nil
}

func wrongWidth(n, want int) error {
	return problem(fmt.Sprintf("the array has %d numbers, and that of the first row %d", n, want))
}
