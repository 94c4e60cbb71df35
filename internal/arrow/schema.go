package arrow

import (
	"fmt"
	"slices"
)

// The numbers of Arrow's types (Schema.fbs).
const (
	typeNull            = 1
	typeInt             = 2
	typeFloat           = 3
	typeBinary          = 4
	typeUtf8            = 5
	typeBool            = 6
	typeDecimal         = 7
	typeDate            = 8
	typeTime            = 9
	typeTimestamp       = 10
	typeInterval        = 11
	typeList            = 12
	typeStruct          = 13
	typeUnion           = 14
	typeFixedSizeBinary = 15
	typeFixedSizeList   = 16
	typeMap             = 17
	typeDuration        = 18
	typeLargeBinary     = 19
	typeLargeUtf8       = 20
	typeLargeList       = 21
	typeRunEndEncoded   = 22
	typeBinaryView      = 23
	typeUtf8View        = 24
	typeListView        = 25
	typeLargeListView   = 26

	maxDepth = 8       // of nested types
	maxFixed = 1 << 24 // bytes of a value, or elements of a list, of a fixed size
)

var typeNames = map[byte]string{typeDecimal: "decimal", typeDate: "date", typeTime: "time",
	typeTimestamp: "timestamp", typeInterval: "interval", typeStruct: "struct", typeUnion: "union",
	typeFixedSizeBinary: "fixed size binary", typeFixedSizeList: "fixed size list", typeMap: "map",
	typeDuration: "duration", typeLargeList: "large list", typeRunEndEncoded: "run end encoded",
	typeBinaryView: "binary view", typeUtf8View: "string view", typeListView: "list view",
	typeLargeListView: "large list view"}

// others are the types that are not read, with their own number of buffers.
var others = map[byte]int{typeInterval: 2, typeStruct: 1, typeMap: 2, typeUnion: 1, typeRunEndEncoded: 0,
	typeListView: 3, typeLargeListView: 3}

func (r *reader) readSchema(t table) error {
	if t.short(0) != 0 {
		return r.fail("its numbers are big-endian")
	}
	pos, n := t.vector(1, 4)
	r.spare = len(t.f.b)
	schema := make(Schema, n)
	for i := range schema {
		f, err := r.field(table{t.f, t.f.follow(pos + 4*i)}, "", 0)
		if err != nil {
			return err
		}
		schema[i] = f
	}
	if t.f.bad {
		return r.fail("the schema is damaged")
	}
	r.schema = schema
	return nil
}

// field reads a column, or a part of one. Two of them don't share bytes, so a schema is never larger than its
// metadata.
func (r *reader) field(t table, path string, depth int) (Field, error) {
	f := Field{Name: t.string(0), Nullable: t.byte(1) != 0}
	path += f.Name
	if r.spare -= 12 + len(f.Name); t.f.bad || r.spare < 0 {
		return f, r.fail("the schema is damaged")
	}
	number, params := t.byte(2), t.child(3)
	children, n := t.vector(5, 4)
	if t.f.bad {
		return f, r.fail("the schema is damaged")
	}
	var err error
	if f.Type, err = r.typeOf(number, params, path); err != nil {
		return f, err
	}
	if depth == maxDepth && n > 0 || (f.Type.Kind == List || f.Type.Kind == FixedList) && n != 1 {
		return f, r.fail("column %s: its lists have %d kinds of elements, %d levels deep", path, n, depth)
	}
	for i := range n {
		child, err := r.field(table{t.f, t.f.follow(children + 4*i)}, path+".", depth+1)
		if err != nil {
			return f, err
		}
		f.Type.children = append(f.Type.children, child.Type)
	}
	if f.Type.Kind == List || f.Type.Kind == FixedList {
		f.Type.Elem, f.Type.children = &f.Type.children[0], nil
	}
	if at := t.child(4); at.pos != 0 {
		return f, r.encoded(&f, at, path)
	}
	return f, nil
}

// encoded makes f a dictionary: its type becomes that of the indices, and Elem that of the values.
func (r *reader) encoded(f *Field, t table, path string) error {
	if r.strict {
		return r.fail("column %s is a dictionary, which can't be read here", path)
	}
	index, values := Int32, f.Type
	if of := t.child(1); of.pos != 0 {
		if index = integers[of.byte(1) != 0][of.int(0)]; index == 0 {
			return r.fail("column %s: the numbers of its dictionary have %d bits", path, of.int(0))
		}
	}
	f.Type = Type{Kind: Dictionary, Elem: &values, indices: index, id: t.long(0)}
	if known, ok := r.dictionaries[f.Type.id]; ok && known.of.String() != values.String() {
		return r.fail("column %s: its dictionary has values of the type %s, and elsewhere %s", path, values, known.of)
	} else if !ok {
		if r.dictionaries == nil {
			r.dictionaries = map[int64]*dictionary{}
		}
		r.dictionaries[f.Type.id] = &dictionary{of: values}
	}
	return nil
}

var integers = map[bool]map[int]Kind{true: {8: Int8, 16: Int16, 32: Int32, 64: Int64},
	false: {8: Uint8, 16: Uint16, 32: Uint32, 64: Uint64}}

// typeOf reads a type, without its children.
func (r *reader) typeOf(number byte, t table, path string) (Type, error) {
	name, known := typeNames[number]
	if !known {
		name = fmt.Sprintf("Arrow's type %d", number)
	}
	of := plainType(number, t)
	if of.Kind == 0 && !r.strict {
		of = fileType(number, t)
	}
	if buffers, ok := others[number]; ok && of.Kind == 0 && !r.strict {
		of = Type{Kind: Other, name: name, buffers: buffers}
		if number == typeUnion && t.short(0) == 1 {
			of.buffers = 2
		}
	}
	if of.Kind == 0 || !of.sound() {
		return of, r.fail("column %s is of type %s, which can't be read here: cast it to a number or a string", path, name)
	}
	return of, nil
}

// sound reports whether the sizes of a type are possible.
func (t Type) sound() bool {
	switch t.Kind {
	case Decimal:
		return slices.Contains([]int{4, 8, 16, 32}, t.size)
	case Time:
		return (t.size == 4 || t.size == 8) && t.unit <= 3
	}
	return t.size >= 0 && t.size <= maxFixed && t.unit <= 3
}

// plainType returns a type that Spark Connect uses; it has no kind if it is another type.
func plainType(number byte, t table) Type {
	switch number {
	case typeNull:
		return Of(Null)
	case typeBool:
		return Of(Bool)
	case typeUtf8, typeLargeUtf8:
		return Type{Kind: String, wide: number == typeLargeUtf8}
	case typeBinary, typeLargeBinary:
		return Type{Kind: Binary, wide: number == typeLargeBinary}
	case typeInt:
		if t.byte(1) != 0 {
			return Of(integers[true][t.int(0)])
		}
	case typeFloat:
		return Of(map[int]Kind{1: Float32, 2: Float64}[t.short(0)])
	case typeList:
		return Of(List)
	}
	return Type{}
}

// fileType returns a type that only files have.
func fileType(number byte, t table) Type {
	switch number {
	case typeInt:
		return Of(integers[false][t.int(0)])
	case typeFloat:
		return Of(Float16)
	case typeDecimal:
		return Type{Kind: Decimal, size: t.intOr(2, 128) / 8, scale: t.int(1)}
	case typeDate:
		unit := t.shortOr(0, 1)
		return Type{Kind: Date, unit: unit, size: 4 + 4*min(unit, 1)}
	case typeTime:
		return Type{Kind: Time, unit: t.shortOr(0, 1), size: t.intOr(1, 32) / 8}
	case typeTimestamp:
		return Type{Kind: Timestamp, unit: t.short(0), zoned: t.string(1) != ""}
	case typeDuration:
		return Type{Kind: Duration, unit: t.shortOr(0, 1)}
	case typeFixedSizeBinary:
		return Type{Kind: FixedBinary, size: t.int(0)}
	case typeFixedSizeList:
		return Type{Kind: FixedList, size: t.int(0)}
	case typeLargeList:
		return Type{Kind: List, wide: true}
	case typeUtf8View:
		return Type{Kind: String, view: true}
	case typeBinaryView:
		return Type{Kind: Binary, view: true}
	}
	return Type{}
}
