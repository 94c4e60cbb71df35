package arrow

import (
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// Batch is some rows, by columns.
type Batch struct {
	Schema  Schema
	Rows    int
	Columns []Column
}

// Column is the values of one column. Methods for another kind than the column's, and indices outside 0 … Len-1, panic
// like a slice's index. The value of a null is zero.
type Column struct {
	Type    Type
	n       int
	valid   []byte // a bit for each value; nil if there are no nulls
	offsets []byte // n+1 offsets, of 4 or 8 bytes; or views of 16 bytes
	data    []byte
	child   *Column
	parts   [][]byte    // the bytes that views point to
	values  *dictionary // of a Dictionary
}

// Len is the number of values.
func (c *Column) Len() int { return c.n }

// IsNull reports whether the value is missing.
func (c *Column) IsNull(i int) bool {
	return c.Type.Kind == Null || c.valid != nil && c.valid[i/8]>>(i%8)&1 == 0
}

// HasNulls reports whether any value is missing.
func (c *Column) HasNulls() bool {
	for i := range c.n {
		if c.IsNull(i) {
			return true
		}
	}
	return false
}

// Bool returns a value of a Bool column.
func (c *Column) Bool(i int) bool { return c.data[i/8]>>(i%8)&1 == 1 }

// Int returns a value of a column of whole numbers.
func (c *Column) Int(i int) int64 {
	switch c.Type.Kind {
	case Int8:
		return int64(int8(c.data[i]))
	case Uint8:
		return int64(c.data[i])
	case Uint16:
		return int64(le.Uint16(c.data[2*i:]))
	case Uint32:
		return int64(le.Uint32(c.data[4*i:]))
	case Int16:
		return int64(int16(le.Uint16(c.data[2*i:])))
	case Int32:
		return int64(int32(le.Uint32(c.data[4*i:])))
	case Int64, Uint64, Timestamp, Duration:
		return int64(le.Uint64(c.data[8*i:]))
	case Date, Time:
		if c.Type.size == 4 {
			return int64(int32(le.Uint32(c.data[4*i:])))
		}
		return int64(le.Uint64(c.data[8*i:]))
	}
	panic("arrow: Int of a column of type " + c.Type.String())
}

// Float returns a value of any column of numbers, or a boolean as 0 or 1.
func (c *Column) Float(i int) float64 {
	switch c.Type.Kind {
	case Float32:
		return float64(math.Float32frombits(le.Uint32(c.data[4*i:])))
	case Float64:
		return math.Float64frombits(le.Uint64(c.data[8*i:]))
	case Bool:
		if c.Bool(i) {
			return 1
		}
		return 0
	case Float16:
		return float64(dl4j.FromHalf(le.Uint16(c.data[2*i:])))
	case Uint64:
		return float64(le.Uint64(c.data[8*i:]))
	case Decimal:
		return decimal(c.data[c.Type.size*i:][:c.Type.size], c.Type.scale)
	}
	return float64(c.Int(i))
}

// Bytes returns a value of a String or Binary column. It shares the stream's bytes.
func (c *Column) Bytes(i int) []byte {
	if c.Type.view {
		return c.viewed(i)
	}
	if n := c.Type.size; c.Type.Kind == FixedBinary {
		return c.data[n*i : n*i+n : n*i+n]
	}
	from, to := c.Range(i)
	return c.data[from:to:to]
}

// Text returns a value of a String column.
func (c *Column) Text(i int) string { return string(c.Bytes(i)) }

// Range returns where the elements of a list are in Elem, or the bytes of a string in the column's bytes.
func (c *Column) Range(i int) (from, to int) {
	if c.Type.Kind == FixedList {
		return c.Type.size * i, c.Type.size * (i + 1)
	}
	if c.Type.wide {
		return int(le.Uint64(c.offsets[8*i:])), int(le.Uint64(c.offsets[8*i+8:]))
	}
	return int(le.Uint32(c.offsets[4*i:])), int(le.Uint32(c.offsets[4*i+4:]))
}

// Elem returns the elements of all lists of a List or FixedList column.
func (c *Column) Elem() *Column { return c.child }

// Float32s makes a column.
func Float32s(values []float32) Column {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = le.AppendUint32(b, math.Float32bits(v))
	}
	return Column{Type: Of(Float32), n: len(values), data: b}
}

// Float64s makes a column.
func Float64s(values []float64) Column {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = le.AppendUint64(b, math.Float64bits(v))
	}
	return Column{Type: Of(Float64), n: len(values), data: b}
}

// Int32s makes a column.
func Int32s(values []int32) Column {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = le.AppendUint32(b, uint32(v))
	}
	return Column{Type: Of(Int32), n: len(values), data: b}
}

// Int64s makes a column.
func Int64s(values []int64) Column {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = le.AppendUint64(b, uint64(v))
	}
	return Column{Type: Of(Int64), n: len(values), data: b}
}

// Bools makes a column.
func Bools(values []bool) Column {
	b := make([]byte, (len(values)+7)/8)
	for i, v := range values {
		if v {
			b[i/8] |= 1 << (i % 8)
		}
	}
	return Column{Type: Of(Bool), n: len(values), data: b}
}

// Strings makes a column. A column's values together have less than 2 GiB.
func Strings(values []string) Column { return variable(String, values) }

// Binaries makes a column. A column's values together have less than 2 GiB.
func Binaries(values [][]byte) Column { return variable(Binary, values) }

func variable[T string | []byte](kind Kind, values []T) Column {
	size := 0
	for _, v := range values {
		size += len(v)
	}
	offsets, data := make([]byte, 4, 4*len(values)+4), make([]byte, 0, size)
	for _, v := range values {
		data = append(data, v...)
		offsets = le.AppendUint32(offsets, uint32(len(data)))
	}
	return Column{Type: Of(kind), n: len(values), offsets: offsets, data: data}
}

// Lists makes a column of lists with these lengths. elem has their elements, one list after the other.
func Lists(lengths []int, elem Column) Column {
	offsets, at := make([]byte, 4, 4*len(lengths)+4), 0
	for _, n := range lengths {
		at += n
		offsets = le.AppendUint32(offsets, uint32(at))
	}
	return Column{Type: ListOf(elem.Type), n: len(lengths), offsets: offsets, child: &elem}
}

// WithNulls returns the column with nulls at the values for which null returns true.
func (c Column) WithNulls(null func(i int) bool) Column {
	c.valid = make([]byte, (c.n+7)/8)
	for i := range c.n {
		if !null(i) {
			c.valid[i/8] |= 1 << (i % 8)
		}
	}
	return c
}
