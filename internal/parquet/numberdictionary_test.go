package parquet

import (
	"bytes"
	"math"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestWriteNumbers: numbers that come again are in a dictionary, by their bits, and others are not. They are read as
// they were written.
func TestWriteNumbers(t *testing.T) {
	columns := []pipeline.Column{pipeline.IntegerColumn{Name: "few"}, pipeline.LongColumn{Name: "long"},
		pipeline.DoubleColumn{Name: "zeros"}, pipeline.FloatColumn{Name: "float"},
		pipeline.TimeColumn{Name: "time", Zone: "UTC"}, pipeline.DoubleColumn{Name: "different"},
		pipeline.DoubleColumn{Name: "null"}, pipeline.BooleanColumn{Name: "truth"}}
	row := func(i int) pipeline.Row {
		r := pipeline.Row{pipeline.Integer(int32(i%300 - 150)), pipeline.Long(int64(i%7) << 40),
			pipeline.Double([]float64{0, math.Copysign(0, -1), math.Inf(1), 0.1}[i%4]), pipeline.Float(float32(i%5) / 3),
			pipeline.Long(int64(i%9) * 86_400_000), pipeline.Double(math.Sqrt(float64(i))), pipeline.Null(),
			pipeline.Boolean(i%2 == 0)}
		if i%13 == 5 {
			r[i%5] = pipeline.Null()
		}
		return r
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, &pipeline.Schema{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	const rows = 3000
	w.GroupRows = 1700
	for i := range rows {
		if err := w.Write(row(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	f, err := Open("x", bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i := range columns {
		if c := f.groups[0].chunks[i]; c.dictionary > 0 != (i < 5) {
			t.Errorf("column %d has a dictionary at %d and data at %d", i, c.dictionary, c.data)
		}
	}
	r, err := f.Reader([]int{0, 1, 2, 3, 4, 5, 6, 7})
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < rows; {
		n, err := r.Next(512)
		if n == 0 || err != nil {
			t.Fatal(n, err)
		}
		var batch pipeline.Batch
		batch.Reset(len(columns), n)
		for k := range columns {
			if err := r.Column(k, &batch, k); err != nil {
				t.Fatal(err)
			}
		}
		for i := range n {
			for k, want := range row(at + i) {
				if got := batch.Value(k, i); got != want && !(want.IsNull() && got.IsNull()) {
					t.Fatalf("row %d, column %d: %v, not %v", at+i, k, got, want)
				}
			}
		}
		at += n
	}
}

// TestVectorsOfManyZeros: a batch does not take memory for many sparse vectors of a large size. Row by row, they can be
// read.
func TestVectorsOfManyZeros(t *testing.T) {
	const size, rows = 1 << 20, 64
	m := &maker{r: random(1), zstd: testZstd}
	for m.schema == nil || len(m.leaves) != 4 || m.leaves[0].path[0].length == 0 {
		m.schema, m.leaves = nil, nil
		m.add(m.field("v"), nil)
	}
	top := m.leaves[0].path[0]
	f := &File{path: "x", Rows: rows, Columns: []Column{columnOf(top.node(new(int)))}}
	group := rowGroup{rows: rows}
	m.file.WriteString(magic)
	for _, l := range m.leaves {
		var all []madeVector
		for range rows {
			all = append(all, madeVector{numbers: []int{1}, indices: []int{size - 1}, sparse: true, size: size})
		}
		l.ofVectors(all)
		chunk := readChunk(m.chunk(l))
		group.chunks = append(group.chunks, chunk)
	}
	f.groups = []rowGroup{group}
	f.in = bytes.NewReader(m.file.Bytes())
	r, err := f.Reader([]int{0})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Next(rows); n != rows || err != nil {
		t.Fatal(n, err)
	}
	var b pipeline.Batch
	b.Reset(1, rows)
	if err := r.Column(0, &b, 0); err == nil {
		t.Error("a batch has 64 vectors of a million numbers")
	}
	v, err := r.Value(0, rows-1)
	if err != nil || len(v.Array().Data) != size || v.Array().Data[size-1] == 0 {
		t.Errorf("the last vector: %v", err)
	}
}

// node returns a field as the reader has it. leaves counts those before it.
func (n *madeNode) node(leaves *int) *node {
	out := &node{element: n.element}
	out.children = len(n.fields)
	if n.fields == nil {
		out.chunk = *leaves
		*leaves++
	}
	for _, f := range n.fields {
		out.fields = append(out.fields, f.node(leaves))
	}
	return out
}

// readChunk reads the metadata of a column.
func readChunk(t *thriftNode) chunkMeta {
	c := &compact{b: t.append(nil)}
	return c.chunk()
}
