package arrow

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/dl4go/dl4go/pipeline"
)

// Value returns a value of a row that Next has read. column is an index into the reader's columns.
func (r *FileReader) Value(column, row int) (pipeline.Value, error) {
	of := &r.file.Columns[r.columns[column]]
	if of.Type == pipeline.ArrayType {
		a, err := r.array(column, row)
		if err != nil {
			return pipeline.Null(), r.errorf(column, row, "%v", err)
		}
		if a == nil {
			return pipeline.Null(), nil
		}
		return pipeline.ArrayOf(a), nil
	}
	c, i := r.batch.Columns[column].Resolve(r.at + row)
	if c == nil {
		return pipeline.Null(), nil
	}
	switch of.Type {
	case pipeline.BooleanType:
		return pipeline.Boolean(c.Bool(i)), nil
	case pipeline.IntegerType:
		return pipeline.Integer(int32(c.Int(i))), nil
	case pipeline.LongType:
		n := c.Int(i)
		if n < 0 && c.Type.Kind == Uint64 {
			return pipeline.Null(), r.errorf(column, row,
				"the value %d is more than an integer of 64 bits with a sign holds", uint64(n))
		}
		return pipeline.Long(n), nil
	case pipeline.FloatType:
		return pipeline.Float(float32(c.Float(i))), nil
	case pipeline.DoubleType:
		return pipeline.Double(c.Float(i)), nil
	case pipeline.TimeType:
		n, ok := c.millis(i)
		if !ok {
			return pipeline.Null(), r.errorf(column, row, "the time %d lies too far from 1970", c.Int(i))
		}
		return pipeline.Long(n), nil
	case pipeline.StringType:
		return pipeline.Text(c.Text(i)), nil
	}
	return pipeline.Bytes(c.Bytes(i)), nil
}

// Text returns a value as text, in the form of a label or a key: a time in UTC as 2006-01-02T15:04:05.999Z. It returns
// false for a null.
func (r *FileReader) Text(column, row int) (text string, ok bool, err error) {
	v, err := r.Value(column, row)
	if err != nil || v.IsNull() {
		return "", false, err
	}
	c, i := r.batch.Columns[column].Resolve(r.at + row)
	switch r.file.Columns[r.columns[column]].Type {
	case pipeline.FloatType:
		return strconv.FormatFloat(c.Float(i), 'g', -1, 32), true, nil
	case pipeline.DoubleType:
		return strconv.FormatFloat(c.Float(i), 'g', -1, 64), true, nil
	case pipeline.TimeType:
		n, _ := c.millis(i)
		at := time.UnixMilli(n).UTC()
		if c.Type.Kind == Date {
			return at.Format(time.DateOnly), true, nil
		}
		return at.Format("2006-01-02T15:04:05.999Z"), true, nil
	}
	return v.String(), true, nil
}

func (r *FileReader) errorf(column, row int, format string, args ...any) error {
	return &Error{r.file.path, r.first + int64(row) + 1, r.file.Columns[r.columns[column]].Name,
		fmt.Sprintf(format, args...)}
}

// millis returns a date or a timestamp in milliseconds since 1970, without finer fractions. It returns false if the
// number of milliseconds overflows.
func (c *Column) millis(i int) (int64, bool) {
	n, by := c.Int(i), int64(1)
	switch unit := c.Type.unit; {
	case c.Type.Kind == Date && unit == 0:
		by = 24 * 60 * 60 * 1000
	case c.Type.Kind == Date:
	case unit == 0:
		by = 1000
	case unit == 2:
		return floorDiv(n, 1e3), true
	case unit == 3:
		return floorDiv(n, 1e6), true
	}
	return n * by, n <= math.MaxInt64/by && n >= math.MinInt64/by
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// decimal returns a number in two's complement, little-endian, with scale decimal places.
func decimal(b []byte, scale int) float64 {
	b = slices.Clone(b)
	slices.Reverse(b)
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	const most = 400 // number of places of any float64
	if scale < -most || scale > most {
		return math.NaN()
	}
	x := new(big.Rat).SetInt(n)
	ten := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil))
	if scale > 0 {
		x.Quo(x, ten)
	} else {
		x.Mul(x, ten)
	}
	f, _ := x.Float64()
	return f
}

// array returns the array of a row; nil if it is null. A missing number in it is NaN.
func (r *FileReader) array(column, row int) (*pipeline.Array, error) {
	c := &r.batch.Columns[column]
	i := r.at + row
	if c.IsNull(i) {
		return nil, nil
	}
	a := &pipeline.Array{}
	from, to := i, i+1
	for c.Type.Kind == List || c.Type.Kind == FixedList {
		size := -1
		next := 0
		for k := from; k < to; k++ {
			first, last := c.Range(k)
			if c.IsNull(k) {
				return nil, problem("a list in it is missing")
			}
			if k == from {
				next = first
			} else if last-first != size {
				return nil, problem(fmt.Sprintf("its lists have %d and %d elements, and an array needs equal ones", size,
					last-first))
			}
			size = last - first
		}
		a.Shape = append(a.Shape, max(size, 0))
		from, to, c = next, next+max(size, 0)*(to-from), c.Elem()
	}
	a.Data = make([]float64, 0, to-from)
	for k := from; k < to; k++ {
		x := math.NaN()
		if at, j := c.Resolve(k); at != nil {
			x = at.Float(j)
		}
		a.Data = append(a.Data, x)
	}
	return a, nil
}

type problem string

func (p problem) Error() string { return string(p) }

const (
	errMissing  = problem("the value is missing")
	errInfinite = problem("the value is not a finite number")
)

// Width returns how many numbers a column has in the first row that Next has read.
func (r *FileReader) Width(column int) (int, error) {
	if r.file.Columns[r.columns[column]].Type != pipeline.ArrayType {
		return 1, nil
	}
	a, err := r.array(column, 0)
	if err == nil && a == nil {
		err = errMissing
	}
	if err != nil {
		return 0, r.errorf(column, 0, "%v", err)
	}
	return len(a.Data), nil
}

// Float32s writes the numbers of a column for the rows that Next has read: width numbers each, those of row i from
// to[i*stride] on. A row without a number, with NaN or an infinity, or with an array of another size, is an error.
func (r *FileReader) Float32s(column, width int, to []float32, stride int) error {
	c := &r.batch.Columns[column]
	array := r.file.Columns[r.columns[column]].Type == pipeline.ArrayType
	for row := range r.rows {
		var err error
		if array {
			err = r.arrayFloats(column, row, to[row*stride:], width)
		} else if at, i := c.Resolve(r.at + row); at == nil {
			err = errMissing
		} else if x := float32(at.Float(i)); x-x != 0 {
			err = errInfinite
		} else {
			to[row*stride] = x
		}
		if err != nil {
			return r.errorf(column, row, "%v", err)
		}
	}
	return nil
}

func (r *FileReader) arrayFloats(column, row int, to []float32, width int) error {
	a, err := r.array(column, row)
	switch {
	case err != nil:
		return err
	case a == nil:
		return errMissing
	case len(a.Data) != width:
		return problem(fmt.Sprintf("the array has %d numbers, and that of the first row %d", len(a.Data), width))
	}
	for i, x := range a.Data {
		y := float32(x)
		if y-y != 0 {
			return errInfinite
		}
		to[i] = y
	}
	return nil
}
