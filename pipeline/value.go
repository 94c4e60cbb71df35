package pipeline

import (
	"math"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
)

// ValueKind is the kind of a [Value]. It may differ from the type of its column: the cells of a CSV file are texts
// until a step needs a number.
type ValueKind uint8

// The kinds of values; DataVec's classes of org.datavec.api.writable.
const (
	NullKind    ValueKind = iota // NullWritable
	TextKind                     // Text
	IntegerKind                  // IntWritable
	LongKind                     // LongWritable
	DoubleKind                   // DoubleWritable
	FloatKind                    // FloatWritable
	BooleanKind                  // BooleanWritable
	BytesKind                    // BytesWritable
	ArrayKind                    // NDArrayWritable
)

// Value is one cell of a row. The zero Value is null. Values are immutable and may be copied.
type Value struct {
	kind  ValueKind
	bits  uint64 // a number, in the form of its kind
	text  string // a text, or bytes
	array *Array
}

// Array is the value of an NDArray column. Its numbers are in C order. It must not change once it is in a Value.
type Array struct {
	Shape []int
	Data  []float64
}

// Null returns the null value.
func Null() Value { return Value{} }

// Text returns a text value.
func Text(s string) Value { return Value{kind: TextKind, text: s} }

// Bytes returns a value of bytes.
func Bytes(b []byte) Value { return Value{kind: BytesKind, text: string(b)} }

// Integer returns a 32-bit integer.
func Integer(i int32) Value { return Value{kind: IntegerKind, bits: uint64(int64(i))} }

// Long returns a 64-bit integer. It is also the value of a time: milliseconds since 1970 in UTC.
func Long(i int64) Value { return Value{kind: LongKind, bits: uint64(i)} }

// Double returns a 64-bit number.
func Double(x float64) Value { return Value{kind: DoubleKind, bits: math.Float64bits(x)} }

// Float returns a 32-bit number.
func Float(x float32) Value { return Value{kind: FloatKind, bits: math.Float64bits(float64(x))} }

// Boolean returns true or false as a value.
func Boolean(b bool) Value {
	v := Value{kind: BooleanKind}
	if b {
		v.bits = 1
	}
	return v
}

// ArrayOf returns an array value, which owns the array from then on.
func ArrayOf(a *Array) Value { return Value{kind: ArrayKind, array: a} }

// Kind returns the kind of v.
func (v Value) Kind() ValueKind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == NullKind }

// IsText reports whether v is text.
func (v Value) IsText() bool { return v.kind == TextKind }

// Array returns the array of a value of ArrayKind, and nil for all others.
func (v Value) Array() *Array { return v.array }

// integer returns the number of an Integer, Long or Boolean.
func (v Value) integer() int64 { return int64(v.bits) }

// real returns the number of a Double or Float.
func (v Value) real() float64 { return math.Float64frombits(v.bits) }

// String returns the value as DataVec prints it: a double like Java, "1.0E10", and null as "NullWritable".
func (v Value) String() string {
	switch v.kind {
	case TextKind, BytesKind:
		return v.text
	case IntegerKind, LongKind:
		return strconv.FormatInt(v.integer(), 10)
	case DoubleKind:
		return dl4j.FormatDouble(v.real())
	case FloatKind:
		return dl4j.FormatFloat(float32(v.real()))
	case BooleanKind:
		return strconv.FormatBool(v.bits != 0)
	case ArrayKind:
		return v.array.String()
	}
	return "NullWritable"
}
