// Package arrow reads and writes Arrow's IPC format. [Read] and [Write] are for the streams that dl4go and Spark
// Connect exchange: numbers, booleans, strings, bytes, and lists of those. Their values share the bytes of the stream.
// [Open] is for files and streams of any program, with all types, dictionaries and compression; it reads only the
// wanted columns, batch by batch. A batch is checked once, when it is read. Its columns can then be used without
// errors.
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

	// These are in files only.
	Uint8
	Uint16
	Uint32
	Uint64
	Float16
	Decimal
	Date      // days, or milliseconds if the unit says so
	Time      // of day
	Timestamp // since 1970
	Duration
	FixedBinary
	FixedList
	Dictionary // indices into the values of a dictionary
	Other      // not read: structs, maps, unions and others
)

var kindNames = map[Kind]string{Null: "null", Bool: "boolean", Int8: "byte", Int16: "short", Int32: "int",
	Int64:   "long",
	Float32: "float", Float64: "double", String: "string", Binary: "binary", List: "list",
	Uint8: "unsigned byte", Uint16: "unsigned short", Uint32: "unsigned int", Uint64: "unsigned long", Float16: "half",
	Decimal: "decimal", Date: "date", Time: "time", Timestamp: "timestamp", Duration: "duration",
	FixedBinary: "fixed size binary", FixedList: "fixed size list", Dictionary: "dictionary", Other: "other"}

// String returns Spark's name for the kind.
func (k Kind) String() string { return kindNames[k] }

// bits returns the width of a value, or 0 if it has no fixed width.
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
	view bool  // of strings and bytes: views say where the values are
	unit int   // of times: 0 means seconds, 1 milliseconds, 2 microseconds, 3 nanoseconds; of dates 0 means days
	// size is the number of bytes of a value, or of elements of a FixedList.
	size    int
	scale   int   // of decimals
	zoned   bool  // of a Timestamp: it is in UTC
	indices Kind  // of a Dictionary
	id      int64 // likewise
	// Of Other: its name in Arrow, its number of buffers, and its children.
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

// Of returns the type of a kind other than List.
func Of(k Kind) Type { return Type{Kind: k} }

// ListOf returns the type of lists.
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

// FormatError is an error of a stream that breaks Arrow's format, or has something that this package does not read.
type FormatError struct {
	Offset int    // of the message, in bytes
	Reason string // the problem, and the column
}

func (e *FormatError) Error() string {
	return fmt.Sprintf("Arrow stream, message at byte %d: %s", e.Offset, e.Reason)
}
