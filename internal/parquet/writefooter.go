package parquet

import (
	"encoding/binary"

	"github.com/dl4go/dl4go/pipeline"
)

// thriftWriter writes Thrift's compact protocol.
type thriftWriter struct {
	b    []byte
	last []int // field of each struct that is open
}

func appendUvarint(b []byte, v uint64) []byte { return binary.AppendUvarint(b, v) }

func (t *thriftWriter) begin() { t.last = append(t.last, 0) }

func (t *thriftWriter) end() {
	t.b = append(t.b, 0)
	t.last = t.last[:len(t.last)-1]
}

// field writes the head of a field. Fields come in order, and no two are more than 15 apart.
func (t *thriftWriter) field(id int, kind byte) {
	top := &t.last[len(t.last)-1]
	t.b = append(t.b, byte(id-*top)<<4|kind)
	*top = id
}

func (t *thriftWriter) int(v int64) { t.b = binary.AppendVarint(t.b, v) }

func (t *thriftWriter) i32(id, v int) {
	t.field(id, thriftI32)
	t.int(int64(v))
}

func (t *thriftWriter) i64(id int, v int64) {
	t.field(id, thriftI64)
	t.int(v)
}

func (t *thriftWriter) text(id int, s string) {
	t.field(id, thriftBinary)
	t.string(s)
}

func (t *thriftWriter) string(s string) { t.b = append(appendUvarint(t.b, uint64(len(s))), s...) }

func (t *thriftWriter) structure(id int) {
	t.field(id, thriftStruct)
	t.begin()
}

func (t *thriftWriter) list(id int, kind byte, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|kind)
		return
	}
	t.b = appendUvarint(append(t.b, 0xf0|kind), uint64(n))
}

// footer is the file's metadata.
func (w *Writer) footer() []byte {
	t := &thriftWriter{}
	t.begin()
	t.i32(1, 2)
	elements := 1 + len(w.columns)
	for _, c := range w.columns {
		if c.Type() == pipeline.ArrayType {
			elements += 2
		}
	}
	t.list(2, thriftStruct, elements)
	t.begin()
	t.text(4, "schema")
	t.i32(5, len(w.columns))
	t.end()
	for _, c := range w.columns {
		t.column(c)
	}
	t.i64(3, w.total)
	t.list(4, thriftStruct, len(w.groups))
	for _, g := range w.groups {
		w.group(t, g)
	}
	t.text(6, "dl4go")
	t.list(7, thriftStruct, len(w.columns)) // each leaf's statistics have the order of its type
	for range w.columns {
		t.begin()
		t.structure(1)
		t.end()
		t.end()
	}
	t.end()
	return t.b
}

// column writes the fields of a column.
func (t *thriftWriter) column(c columnWriter) {
	if c.Type() == pipeline.ArrayType {
		t.begin()
		t.i32(3, fieldOptional)
		t.text(4, c.Title())
		t.i32(5, 1)
		t.i32(6, 3)
		t.logical(logicalList, func() {})
		t.end()
		t.begin()
		t.i32(3, fieldRepeated)
		t.text(4, "list")
		t.i32(5, 1)
		t.end()
		t.begin()
		t.i32(1, physicalDouble)
		t.i32(3, fieldRequired)
		t.text(4, "element")
		t.end()
		return
	}
	t.begin()
	t.i32(1, c.physical)
	t.i32(3, fieldOptional)
	t.text(4, c.Title())
	switch c.Type() {
	case pipeline.StringType, pipeline.CategoricalType:
		t.i32(6, 0)
		t.logical(logicalString, func() {})
	case pipeline.TimeType:
		t.i32(6, 9)
		t.logical(logicalTimestamp, func() {
			t.field(1, thriftTrue)
			t.structure(2)
			t.structure(unitMillis)
			t.end()
			t.end()
		})
	}
	t.end()
}

func (t *thriftWriter) logical(kind int, fields func()) {
	t.structure(10)
	t.structure(kind)
	fields()
	t.end()
	t.end()
}

func (w *Writer) group(t *thriftWriter, g writtenGroup) {
	t.begin()
	t.list(1, thriftStruct, len(g.chunks))
	for i, c := range g.chunks {
		column := w.columns[i]
		path := []string{column.Title()}
		if column.Type() == pipeline.ArrayType {
			path = append(path, "list", "element")
		}
		t.begin()
		t.i64(2, c.data)
		t.structure(3)
		t.i32(1, column.physical)
		if c.data > c.at {
			t.list(2, thriftI32, 3)
			t.int(encodingDictionary)
		} else {
			t.list(2, thriftI32, 2)
		}
		t.int(encodingPlain)
		t.int(encodingRLE)
		t.list(3, thriftBinary, len(path))
		for _, name := range path {
			t.string(name)
		}
		t.i32(4, codecSnappy)
		t.i64(5, int64(c.values))
		t.i64(6, int64(c.plain))
		t.i64(7, int64(c.size))
		t.i64(9, c.data)
		if c.data > c.at {
			t.i64(11, c.at)
		}
		if column.Type() != pipeline.ArrayType {
			t.statistics(c)
		}
		t.end()
		t.end()
	}
	t.i64(2, g.bytes)
	t.i64(3, int64(g.rows))
	t.end()
}
