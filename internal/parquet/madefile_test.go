package parquet

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/klauspost/compress/zstd"
)

// maker makes small files of all kinds: with all types, encodings, codecs and versions of pages, with lists, structs,
// maps and vectors, nulls, dictionaries, statistics, and the fields of indexes and Bloom filters. They are valid, and
// different for each seed.
type maker struct {
	r      *rand.Rand
	zstd   *zstd.Encoder
	file   bytes.Buffer
	schema []*thriftNode // in depth-first order
	leaves []*madeLeaf
}

// madeLeaf is a field that has values.
type madeLeaf struct {
	madeColumn
	path           []*madeNode // from the field at the top
	maxDef, maxRep int
	// of a row group
	reps, defs []uint32
	starts     []int // the first entry of each row
}

// madeNode is a field of the schema.
type madeNode struct {
	element
	fields []*madeNode
}

// scalarKinds are the types of leaves with what they mean.
var scalarKinds = append([]element{
	{physical: physicalInt32, logical: logical{kind: logicalDate}},
	{physical: physicalInt32, logical: logical{kind: logicalDecimal, scale: 2}},
	{physical: physicalInt64, logical: logical{kind: logicalDecimal, scale: 5}},
	{physical: physicalFixed, length: 9, logical: logical{kind: logicalDecimal, scale: 3}},
	{physical: physicalBytes, logical: logical{kind: logicalDecimal, scale: 1}},
	{physical: physicalInt64, logical: logical{kind: logicalTimestamp, unit: unitMillis}},
	{physical: physicalInt64, logical: logical{kind: logicalTimestamp, unit: unitMicros}},
	{physical: physicalInt64, logical: logical{kind: logicalTimestamp, unit: unitNanos}},
	{physical: physicalInt32, logical: logical{kind: logicalTime, unit: unitMillis}},
	{physical: physicalInt32, logical: logical{kind: logicalInteger, bits: 8}},
	{physical: physicalInt32, logical: logical{kind: logicalInteger, bits: 32, unsigned: true}},
	{physical: physicalFixed, length: 2, logical: logical{kind: logicalFloat16}},
	{physical: physicalFixed, length: 12, logical: logical{kind: logicalInterval}},
	{physical: physicalBytes, logical: logical{kind: logicalEnum}},
	{physical: physicalBytes, logical: logical{kind: logicalJSON}},
}, madeKinds...)

// madeCodecs are all codecs.
var madeCodecs = []int{codecNone, codecSnappy, codecGzip, codecBrotli, codecLZ4, codecZstd, codecLZ4Raw}

func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 5)) }

// smallFile returns the bytes of a file.
func smallFile(seed uint64, to *zstd.Encoder) []byte {
	m := &maker{r: random(seed), zstd: to}
	m.file.WriteString(magic)
	fields := 1 + m.r.IntN(5)
	m.schema = append(m.schema, nodeStruct(0, nodeText(4, "schema"), nodeInt(5, thriftI32, int64(fields))))
	for i := range fields {
		m.add(m.field(fmt.Sprint("c", i)), nil)
	}
	rows, groups := int64(0), nodeList(4, thriftStruct)
	for range m.r.IntN(4) {
		n := 1 + m.r.IntN(1+m.r.IntN(60))
		groups.parts = append(groups.parts, m.group(n))
		rows += int64(n)
	}
	footer := nodeStruct(0, nodeInt(1, thriftI32, 2), nodeList(2, thriftStruct, m.schema...), nodeInt(3, thriftI64, rows),
		groups)
	if m.r.IntN(2) == 0 {
		footer.parts = append(footer.parts, nodeList(5, thriftStruct, nodeStruct(0, nodeText(1, "k"), nodeText(2, "v"))),
			nodeText(6, "maker"))
	}
	if m.r.IntN(2) == 0 {
		orders := nodeList(7, thriftStruct)
		for range m.leaves {
			orders.parts = append(orders.parts, nodeStruct(0, nodeStruct(1)))
		}
		footer.parts = append(footer.parts, orders)
	}
	b := footer.append(nil)
	m.file.Write(le.AppendUint32(b, uint32(len(b))))
	m.file.WriteString(magic)
	return m.file.Bytes()
}

// field makes a field at the top.
func (m *maker) field(name string) *madeNode {
	group := func(name string, repetition, kind int, fields ...*madeNode) *madeNode {
		return &madeNode{element{name: name, physical: -1, repetition: repetition, logical: logical{kind: kind}}, fields}
	}
	number := func(name string) *madeNode {
		kinds := []element{{physical: physicalDouble}, {physical: physicalFloat}, {physical: physicalInt32},
			{physical: physicalInt64}, {physical: physicalBoolean}}
		n := &madeNode{element: kinds[m.r.IntN(len(kinds))]}
		n.name, n.repetition = name, m.r.IntN(2)
		return n
	}
	leaf := func(name string, physical, repetition int) *madeNode {
		return &madeNode{element: element{name: name, physical: physical, repetition: repetition}}
	}
	optional := m.r.IntN(2)
	switch m.r.IntN(12) {
	case 0:
		return group(name, optional, logicalList, group("list", fieldRepeated, 0, number("element")))
	case 1:
		return group(name, optional, logicalList, group("list", fieldRepeated, 0,
			group("element", m.r.IntN(2), logicalList, group("list", fieldRepeated, 0, number("element")))))
	case 2:
		n := number(name)
		n.repetition = fieldRepeated
		return n
	case 3:
		n := group(name, optional, 0, leaf("type", physicalInt32, fieldRequired), leaf("size", physicalInt32, fieldOptional),
			group("indices", fieldOptional, logicalList, group("list", fieldRepeated, 0, leaf("element", physicalInt32,
				fieldRequired))),
			group("values", fieldOptional, logicalList, group("list", fieldRepeated, 0, leaf("element", physicalDouble,
				fieldRequired))))
		n.length = 1 // marks a vector
		return n
	case 4:
		return group(name, optional, 0, m.scalar("a"), m.scalar("b"))
	case 5:
		return group(name, optional, logicalMap, group("key_value", fieldRepeated, 0, leaf("key", physicalBytes,
			fieldRequired), number("value")))
	}
	return m.scalar(name)
}

func (m *maker) scalar(name string) *madeNode {
	n := &madeNode{element: scalarKinds[m.r.IntN(len(scalarKinds))]}
	n.name, n.repetition = name, m.r.IntN(2)
	return n
}

// add adds a field and those in it to the schema. above are the fields around it.
func (m *maker) add(n *madeNode, above []*madeNode) {
	e := nodeStruct(0)
	if n.fields == nil {
		e.parts = append(e.parts, nodeInt(1, thriftI32, int64(n.physical)))
		if n.physical == physicalFixed {
			e.parts = append(e.parts, nodeInt(2, thriftI32, int64(n.length)))
		}
	}
	e.parts = append(e.parts, nodeInt(3, thriftI32, int64(n.repetition)), nodeText(4, n.name))
	if n.fields != nil {
		e.parts = append(e.parts, nodeInt(5, thriftI32, int64(len(n.fields))))
	}
	e.parts = append(e.parts, m.meaning(n.logical)...)
	m.schema = append(m.schema, e)
	path := append(above[:len(above):len(above)], n)
	for _, f := range n.fields {
		m.add(f, path)
	}
	if n.fields != nil {
		return
	}
	l := &madeLeaf{path: path}
	l.element, l.zstd, l.codec = n.element, m.zstd, madeCodecs[m.r.IntN(len(madeCodecs))]
	for _, n := range path {
		if n.repetition != fieldRequired {
			l.maxDef++
		}
		if n.repetition == fieldRepeated {
			l.maxRep++
		}
	}
	m.leaves = append(m.leaves, l)
}

// meaning returns the fields of a logical type: in the older form, in the newer one, or in both.
func (m *maker) meaning(l logical) (fields []*thriftNode) {
	older := map[int]int64{logicalString: 0, logicalMap: 1, logicalList: 3, logicalEnum: 4, logicalDecimal: 5,
		logicalDate: 6, logicalJSON: 19, logicalInterval: 21}
	converted, old := older[l.kind]
	switch l.kind {
	case 0:
		return nil
	case logicalTime, logicalTimestamp:
		converted, old = int64(l.unit+map[int]int{logicalTime: 6, logicalTimestamp: 8}[l.kind]), l.unit < unitNanos
	case logicalInteger:
		converted, old = int64(map[int]int{8: 15, 16: 16, 32: 17, 64: 18}[l.bits]), true
		if l.unsigned {
			converted -= 4
		}
	}
	newer := l.kind < logicalInterval
	if old && (!newer || m.r.IntN(3) > 0) {
		newer = newer && m.r.IntN(2) == 0
		fields = append(fields, nodeInt(6, thriftI32, converted))
		if l.kind == logicalDecimal {
			fields = append(fields, nodeInt(7, thriftI32, int64(l.scale)), nodeInt(8, thriftI32, 9))
		}
	}
	if newer {
		one := nodeStruct(int16(l.kind))
		switch l.kind {
		case logicalDecimal:
			one.parts = []*thriftNode{nodeInt(1, thriftI32, int64(l.scale)), nodeInt(2, thriftI32, 9)}
		case logicalTime, logicalTimestamp:
			one.parts = []*thriftNode{{id: 1, kind: thriftTrue}, nodeStruct(2, nodeStruct(int16(l.unit)))}
		case logicalInteger:
			one.parts = []*thriftNode{nodeInt(1, thriftByte, int64(l.bits)), {id: 2, kind: thriftTrue}}
			if l.unsigned {
				one.parts[1].kind = thriftFalse
			}
		}
		fields = append(fields, nodeStruct(10, one))
	}
	return fields
}
