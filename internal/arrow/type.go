// Package arrow reads and writes Arrow's IPC format. [Read] and [Write] are for the streams that dl4go and Spark
// Connect exchange: numbers, booleans, strings, bytes, and lists of those, whose values share the bytes of the stream.
// [Open] is for files and streams of any program, with all types, dictionaries and compression; it reads them batch by
// batch, and only the columns that are wanted. A batch is checked once, when it is read. Its columns can then be used
// without errors.
package arrow

import (
	"fmt"
	"strings"
)

// Kind is a column type's kind.
type Kind uint8

// The kinds. Strings and bytes with 64-bit offsets (LargeUtf8, LargeBinary) are read as String and Binary too.
const (
	Null Kind = iota + 1
	Bool
	Int8
	Int16
	Int32
	Int64
	Float32
	Float64
	String
	Binary
	List

	// Those of files alone.
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Decimal
	Date      // days, or milliseconds where the unit says so
	Time      // of day
	Timestamp // since 1970
	Duration
	FixedBinary
	FixedList
	Dictionary // numbers of the values of a dictionary
	Other      // that is not read: structs, maps, unions and others
)

var kindNames = map[Kind]string{Null: "null", Bool: "boolean", Int8: "byte", Int16: "short", Int32: "int",
	Int64:   "long",
	Float32: "float", Float64: "double", String: "string", Binary: "binary", List: "list",
	Uint8: "unsigned byte", Uint16: "unsigned short", Uint32: "unsigned int", Uint64: "unsigned long", Float16: "half",
	Decimal: "decimal", Date: "date", Time: "time", Timestamp: "timestamp", Duration: "duration",
	FixedBinary: "fixed size binary", FixedList: "fixed size list", Dictionary: "dictionary", Other: "other"}

// String is Spark's name for the kind.
func (k Kind) String() string { return kindNames[k] }

// bits is the width of a value, 0 where it has no fixed one.
func (t Type) bits() int {
	switch t.Kind {
	case Bool:
		return 1
	case Int8, Uint8:
		return 8
	case Int16, Uint16, Float16:
		return 16
	case Int32, Float32, Uint32:
		return 32
	case Int64, Float64, Uint64, Timestamp, Duration:
		return 64
	case Decimal, Date, Time, FixedBinary:
		return 8 * t.size
	}
	return 0
}

// Type is a column's type.
type Type struct {
	Kind Kind
	Elem *Type // of a List, a FixedList, and the values of a Dictionary
	wide bool  // offsets have 64 bits
	view bool  // of strings and bytes: values are where their views say
	unit int   // of times: 0 are seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds; of dates 0 are days
	// size is how many bytes a value has, or how many elements a FixedList.
	size    int
	scale   int   // of decimals
	zoned   bool  // of a Timestamp: it is in UTC
	indices Kind  // of a Dictionary
	id      int64 // likewise
	// Of Other, its name in Arrow, how many buffers it has, and what lies in it.
	name     string
	buffers  int
	children []Type
}

func (t Type) String() string {
	if (t.Kind == List || t.Kind == FixedList) && t.Elem != nil {
		return "array<" + t.Elem.String() + ">"
	}
	if t.Kind == Other {
		return t.name
	}
	return t.Kind.String()
}

// Of is the type of that kind, which is not List.
func Of(k Kind) Type { return Type{Kind: k} }

// ListOf is the type of lists.
func ListOf(elem Type) Type { return Type{Kind: List, Elem: &elem} }

// Field is a column's name and type.
type Field struct {
	Name     string
	Type     Type
	Nullable bool
}

// Schema is the columns of a batch.
type Schema []Field

func (s Schema) String() string {
	var b strings.Builder
	for i, f := range s {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %s", f.Name, f.Type)
	}
	return b.String()
}

// FormatError is a stream that is not what Arrow's format says, or has what this package does not read.
type FormatError struct {
	Offset int    // of the message, in bytes
	Reason string // what is wrong, and with which column
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("Arrow stream, message at byte %d: %s", e.Offset, e.Reason)
}
