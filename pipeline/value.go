package pipeline

import (
	"math"
	"strconv"

	"github.com/dl4go/dl4go/dl4j"
)

// ValueKind is the form of a [Value]'s content. It may differ from the type of its column: a CSV file's cells are texts
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
	bits  uint64 // of a number, in the form of its kind
	text  string // a text, or bytes
	array *Array
}

// Array is the value of an NDArray column. Its numbers are in C order. It is not changed once it is a Value.
type Array struct {
	Shape []int
	Data  []float64
}

// Null is the value that is not there.
func Null() Value { return Value{} }

// Text is a text value.
func Text(s string) Value { return Value{kind: TextKind, text: s} }

// Bytes is a value of bytes.
func Bytes(b []byte) Value { return Value{kind: BytesKind, text: string(b)} }

// Integer is an integer of 32 bits.
func Integer(i int32) Value { return Value{kind: IntegerKind, bits: uint64(int64(i))} }

// Long is an integer of 64 bits. It is also the value of a time: milliseconds since 1970 in UTC.
func Long(i int64) Value { return Value{kind: LongKind, bits: uint64(i)} }

// Double is a number of 64 bits.
func Double(x float64) Value { return Value{kind: DoubleKind, bits: math.Float64bits(x)} }

// Float is a number of 32 bits.
func Float(x float32) Value { return Value{kind: FloatKind, bits: math.Float64bits(float64(x))} }

// Boolean is true or false.
func Boolean(b bool) Value {
	v := Value{kind: BooleanKind}
	if b {
		v.bits = 1
	}
	return v
}

// ArrayOf is an array value. The array belongs to the value from then on.
func ArrayOf(a *Array) Value { return Value{kind: ArrayKind, array: a} }

// Kind says in which form v is.
func (v Value) Kind() ValueKind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == NullKind }

// IsText reports whether v is text.
func (v Value) IsText() bool { return v.kind == TextKind }

// Array returns the array of a value of ArrayKind, and nil for all others.
func (v Value) Array() *Array { return v.array }

// integer is the number of an Integer, Long or Boolean.
func (v Value) integer() int64 { return int64(v.bits) }

// real is the number of a Double or Float.
func (v Value) real() float64 { return math.Float64frombits(v.bits) }

// String is the value as DataVec prints it: a double as Java does, "1.0E10", and null as "NullWritable".
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
