package parquet

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// longLists returns a file of a few kilobytes. Its column "long" has lists of size sevens, "short" lists of the row's
// number alone, and "row" the row's number.
func longLists(rows, size int) []byte {
	var file bytes.Buffer
	file.WriteString(magic)
	run := func(b []byte, n, value int) []byte { return append(binary.AppendUvarint(b, uint64(n)<<1), byte(value)) }
	number := func(id int16, n int) *thriftNode { return nodeInt(id, thriftI32, int64(n)) }
	page := func(kind, size int, fields *thriftNode, body []byte) {
		file.Write(nodeStruct(0, number(1, kind), number(2, size), number(3, size), fields).append(nil))
		file.Write(body)
	}
	chunks := nodeList(1, thriftStruct)
	column := func(values, dictionary, maxLevel int, reps, body []byte, encoding int) {
		at := file.Len()
		if dictionary > 0 {
			page(pageDictionary, 4, nodeStruct(7, number(1, 1), number(2, encodingPlain)), le.AppendUint32(nil,
				uint32(dictionary)))
		}
		var defs []byte
		if maxLevel > 0 {
			defs = run(nil, values, 1)
		}
		v2 := nodeStruct(8, number(1, values), number(2, 0), number(3, rows), number(4, encoding), number(5, len(defs)),
			number(6, len(reps)))
		page(pageDataV2, len(reps)+len(defs)+len(body), v2, append(append(reps, defs...), body...))
		meta := nodeStruct(3, number(1, physicalInt32), number(4, codecNone), nodeInt(5, thriftI64, int64(values)),
			nodeInt(7, thriftI64, int64(file.Len()-at)), nodeInt(9, thriftI64, int64(at)))
		chunks.parts = append(chunks.parts, nodeStruct(0, meta))
	}
	var reps, plain []byte
	for i := range rows {
		reps = run(run(reps, 1, 0), size-1, 1)
		plain = le.AppendUint32(plain, uint32(i))
	}
	all := rows * size
	column(all, 7, 1, reps, binary.AppendUvarint([]byte{0}, uint64(all)<<1), encodingDictionary)
	column(rows, 0, 1, run(nil, rows, 0), plain, encodingPlain)
	column(rows, 0, 0, nil, plain, encodingPlain)
	leaf := func(name string, repetition int) *thriftNode {
		return nodeStruct(0, number(1, physicalInt32), number(3, repetition), nodeText(4, name))
	}
	schema := nodeList(2, thriftStruct, nodeStruct(0, nodeText(4, "schema"), number(5, 3)), leaf("long", fieldRepeated),
		leaf("short", fieldRepeated), leaf("row", fieldRequired))
	group := nodeStruct(0, chunks, nodeInt(2, thriftI64, int64(file.Len())), nodeInt(3, thriftI64, int64(rows)))
	footer := nodeStruct(0, number(1, 2), schema, nodeInt(3, thriftI64, int64(rows)), nodeList(4, thriftStruct, group)).
		append(nil)
	file.Write(le.AppendUint32(footer, uint32(len(footer))))
	file.WriteString(magic)
	return file.Bytes()
}

// TestLongLists: where rows have long lists, few of them are read at a time, the same of all columns.
func TestLongLists(t *testing.T) {
	const rows, size = 64, 1 << 18
	b := longLists(rows, size)
	f, err := Open("x", bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}} {
		r, err := f.Reader(order)
		if err != nil {
			t.Fatal(err)
		}
		row, most := 0, 0
		memory := taken(func() {
			for n := 1; n > 0 && err == nil; row += n {
				if n, err = r.Next(500); err != nil {
					t.Fatal(err)
				}
				most = max(most, n)
				for i := range n {
					for k, column := range order {
						if column == 0 && i > 0 {
							if got := r.columns[k].size(i); got != size {
								t.Fatalf("row %d has %d values", row+i, got)
							}
							continue
						}
						checkLong(t, r, k, column, i, row+i)
					}
				}
			}
		})
		if row != rows || most > maxHeld/size || most < 2 {
			t.Errorf("%d rows, up to %d at a time", row, most)
		}
		if memory > 200<<20 {
			t.Errorf("%d MB for a file of %d bytes", memory>>20, len(b))
		}
	}
}

// checkLong checks a value of longLists: that of the given row, which is row i of those that were read.
func checkLong(t *testing.T, r *Reader, k, column, i, row int) {
	t.Helper()
	v, err := r.Value(k, i)
	if err != nil {
		t.Fatal(err)
	}
	switch a := v.Array(); {
	case column == 0 && (len(a.Data) != 1<<18 || a.Data[0] != 7 || a.Data[1<<18-1] != 7):
		t.Errorf("row %d: %d values", row, len(a.Data))
	case column == 1 && (len(a.Data) != 1 || a.Data[0] != float64(row)), column == 2 && v != pipeline.Integer(int32(row)):
		t.Errorf("row %d is %v", row, v)
	}
}
