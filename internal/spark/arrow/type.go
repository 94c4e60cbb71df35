// Package arrow reads and writes the column types of Arrow's streaming format that dl4go and Spark Connect exchange:
// numbers, booleans, strings, bytes, and lists of those. A stream is checked once, when it is read. The columns of a
// Batch can then be used without errors. Values share the bytes of the stream.
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
)

var kindNames = map[Kind]string{Null: "null", Bool: "boolean", Int8: "byte", Int16: "short", Int32: "int", Int64: "long",
	Float32: "float", Float64: "double", String: "string", Binary: "binary", List: "list"}

// String is Spark's name for the kind.
func (k Kind) String() string { return kindNames[k] }

// bits is the width of a value, 0 where it has no fixed one.
func (k Kind) bits() int {
	switch k {
	case Bool:
		return 1
	case Int8:
		return 8
	case Int16:
		return 16
	case Int32, Float32:
		return 32
	case Int64, Float64:
		return 64
	}
	return 0
}

// Type is a column's type.
type Type struct {
	Kind Kind
	Elem *Type // of a List
	wide bool  // offsets have 64 bits
}

func (t Type) String() string {
	if t.Kind == List && t.Elem != nil {
		return "array<" + t.Elem.String() + ">"
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
