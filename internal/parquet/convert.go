package parquet

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/pipeline"
)

// Value returns the value of a row that Next has read. column is an index into the Reader's columns.
func (r *Reader) Value(column, row int) (pipeline.Value, error) {
	c := &r.columns[column]
	if c.form != scalar {
		a, err := c.array(row)
		if err != nil {
			return pipeline.Null(), r.errorf(column, row, "%v", err)
		}
		if a == nil {
			return pipeline.Null(), nil
		}
		return pipeline.ArrayOf(a), nil
	}
	l := &c.leaves[0]
	i := l.pos.at(row)
	if i < 0 {
		return pipeline.Null(), nil
	}
	l.values.resolve()
	v, err := c.scalar(l, i)
	if err != nil {
		return pipeline.Null(), r.errorf(column, row, "%v", err)
	}
	return v, nil
}

// scalar returns a value of a leaf in the type of its column.
func (c *Column) scalar(l *leafReader, i int) (pipeline.Value, error) {
	switch c.Type {
	case pipeline.BooleanType:
		return pipeline.Boolean(l.values.i32[i] != 0), nil
	case pipeline.IntegerType:
		return pipeline.Integer(l.values.i32[i]), nil
	case pipeline.LongType:
		n, err := l.long(i)
		return pipeline.Long(n), err
	case pipeline.FloatType:
		return pipeline.Float(float32(l.number(i))), nil
	case pipeline.DoubleType:
		return pipeline.Double(l.number(i)), nil
	case pipeline.TimeType:
		return pipeline.Long(l.millis(i)), nil
	case pipeline.StringType:
		return pipeline.Text(l.string(i)), nil
	}
	return pipeline.Bytes(l.values.bytes[i]), nil
}

// Text returns the value of a row as text, in the form of a label or a key: a time in UTC as 2006-01-02T15:04:05.999Z.
// It returns false for a null.
func (r *Reader) Text(column, row int) (text string, ok bool, err error) {
	v, err := r.Value(column, row)
	if err != nil || v.IsNull() {
		return "", false, err
	}
	c := &r.columns[column]
	l := &c.leaves[0]
	switch c.Type {
	case pipeline.FloatType:
		return strconv.FormatFloat(l.number(l.pos.at(row)), 'g', -1, 32), true, nil
	case pipeline.DoubleType:
		return strconv.FormatFloat(l.number(l.pos.at(row)), 'g', -1, 64), true, nil
	case pipeline.TimeType:
		at := time.UnixMilli(l.millis(l.pos.at(row))).UTC()
		if l.logical.kind == logicalDate {
			return at.Format(time.DateOnly), true, nil
		}
		return at.Format("2006-01-02T15:04:05.999Z"), true, nil
	}
	return v.String(), true, nil
}

func (r *Reader) errorf(column, row int, format string, args ...any) error {
	return &Error{r.file.path, r.first + int64(row) + 1, r.columns[column].Name, fmt.Sprintf(format, args...)}
}

// long is an integer of 64 bits.
func (l *leafReader) long(i int) (int64, error) {
	if l.physical == physicalInt32 {
		return int64(uint32(l.values.i32[i])), nil
	}
	n := l.values.i64[i]
	if n < 0 && l.logical.kind == logicalInteger && l.logical.unsigned {
		return 0, fmt.Errorf("the value %d is more than an integer of 64 bits with a sign holds", uint64(n))
	}
	return n, nil
}

// number is a value that is a number.
func (l *leafReader) number(i int) float64 {
	unsigned := l.logical.kind == logicalInteger && l.logical.unsigned
	switch l.physical {
	case physicalFloat:
		return float64(l.values.f32[i])
	case physicalDouble:
		return l.values.f64[i]
	case physicalBoolean:
		return float64(l.values.i32[i])
	case physicalInt32:
		if unsigned {
			return float64(uint32(l.values.i32[i]))
		}
		return l.scaled(float64(l.values.i32[i]))
	case physicalInt64:
		if unsigned {
			return float64(uint64(l.values.i64[i]))
		}
		return l.scaled(float64(l.values.i64[i]))
	}
	b := l.values.bytes[i]
	if l.logical.kind == logicalFloat16 {
		return float64(dl4j.FromHalf(le.Uint16(b)))
	}
	return decimal(b, l.logical.scale)
}

// scaled is the value of a decimal, or the number itself.
func (l *leafReader) scaled(x float64) float64 {
	if l.logical.kind == logicalDecimal && l.logical.scale > 0 {
		return x / math.Pow10(l.logical.scale)
	}
	return x
}

// decimal is a number in two's complement, big-endian, with scale decimal places.
func decimal(b []byte, scale int) float64 {
	if len(b) > maxDecimal {
		return math.NaN()
	}
	n := new(big.Int).SetBytes(b)
	if len(b) > 0 && b[0] >= 0x80 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
	}
	if scale <= 0 || scale > 8*maxDecimal {
		x, _ := new(big.Float).SetInt(n).Float64()
		return x
	}
	x, _ := new(big.Rat).SetFrac(n, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)).Float64()
	return x
}

const (
	millisADay  = 24 * 60 * 60 * 1000
	julianEpoch = 2440588 // the Julian day of 1970-01-01
)

// millis returns a time in milliseconds since 1970 in UTC, without finer fractions.
func (l *leafReader) millis(i int) int64 {
	switch {
	case l.physical == physicalInt96:
		b := l.values.bytes[i]
		day, nanos := int64(le.Uint32(b[8:])), int64(le.Uint64(b))
		return (day-julianEpoch)*millisADay + floorDiv(nanos, 1e6)
	case l.logical.kind == logicalDate && l.physical == physicalInt32:
		return int64(l.values.i32[i]) * millisADay
	}
	n := int64(0)
	if l.physical == physicalInt32 {
		n = int64(l.values.i32[i])
	} else {
		n = l.values.i64[i]
	}
	switch l.logical.unit {
	case unitMicros:
		return floorDiv(n, 1e3)
	case unitNanos:
		return floorDiv(n, 1e6)
	}
	return n
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func (l *leafReader) string(i int) string {
	if l.text {
		return strings.Clone(l.texts.at(i)) // whoever keeps it does not keep the page
	}
	b := l.values.bytes[i]
	if l.logical.kind == logicalUUID {
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
	}
	return string(b)
}

// array is the array of a row; nil if it is null. A number that is missing in it is NaN.
func (c *columnReader) array(row int) (*pipeline.Array, error) {
	if c.form == vector {
		return c.vector(row)
	}
	l := &c.leaves[0]
	a, err := l.list(row)
	if a.null || err != nil {
		return nil, err
	}
	return &pipeline.Array{Shape: a.shape, Data: l.numbers(a)}, nil
}

// numbers are those of a list.
func (l *leafReader) numbers(a array) []float64 {
	out := make([]float64, 0, a.last-a.entry)
	value := a.value
	for i := a.entry; i < a.last; i++ {
		if l.defs[i] < l.maxDef {
			out = append(out, math.NaN())
			continue
		}
		out = append(out, l.number(value))
		value++
	}
	return out
}
