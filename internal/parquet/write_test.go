package parquet

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestWrite: reading returns the written values, including nulls, in several row groups.
func TestWrite(t *testing.T) {
	schema := &pipeline.Schema{Columns: []pipeline.Column{
		pipeline.BooleanColumn{Name: "b"}, pipeline.IntegerColumn{Name: "i"}, pipeline.LongColumn{Name: "l"},
		pipeline.FloatColumn{Name: "f"}, pipeline.DoubleColumn{Name: "d"}, pipeline.StringColumn{Name: "s"},
		pipeline.CategoricalColumn{Name: "c", States: []string{"x", "y"}}, pipeline.TimeColumn{Name: "t", Zone: "UTC"},
		pipeline.BinaryColumn{Name: "y"}, pipeline.ArrayColumn{Name: "a", Shape: []int64{-1}},
		pipeline.LongColumn{Name: "none"},
	}}
	var b bytes.Buffer
	w, err := NewWriter(&b, schema)
	if err != nil {
		t.Fatal(err)
	}
	const rows = groupRows + 100
	row := func(i int) pipeline.Row {
		r := pipeline.Row{pipeline.Boolean(i%3 == 0), pipeline.Integer(int32(-i)), pipeline.Long(int64(i) << 33),
			pipeline.Float(float32(i) / 2), pipeline.Double(math.Sqrt(float64(i))), pipeline.Text(fmt.Sprint("größe ", i%7)),
			pipeline.Text([]string{"x", "y"}[i%2]), pipeline.Long(int64(i) * 1234567), pipeline.Bytes([]byte{byte(i), 0xff}),
			pipeline.ArrayOf(&pipeline.Array{Shape: []int{i % 4}, Data: []float64{1, 2, float64(i)}[:min(i%4, 3)]}),
			pipeline.Null()}
		if i%4 == 3 {
			r[9] = pipeline.Null()
		}
		for k := range r[:9] {
			if (i+k)%11 == 0 {
				r[k] = pipeline.Null()
			}
		}
		return r
	}
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
	var all []int
	for i, c := range f.Columns {
		all = append(all, i)
		want := schema.Columns[i].Type()
		if want == pipeline.CategoricalType {
			want = pipeline.StringType
		}
		if c.Name != schema.Columns[i].Title() || c.Type != want {
			t.Errorf("column %d is %s, %s", i, c.Name, c.Type)
		}
	}
	r, err := f.Reader(all)
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for {
		n, err := r.Next(1000)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		for k := range n {
			want := row(read)
			for c := range all {
				v, err := r.Value(c, k)
				if err != nil || v.String() != want[c].String() || v.IsNull() != want[c].IsNull() {
					t.Fatalf("row %d, column %d: %v, not %v (%v)", read, c, v, want[c], err)
				}
			}
			read++
		}
	}
	if read != rows {
		t.Errorf("%d rows", read)
	}
}

// TestWriteMistakes: the error for a value that a file can't hold names the column.
func TestWriteMistakes(t *testing.T) {
	for want, row := range map[string]pipeline.Value{`column "x": "abc" is not`: pipeline.Text("abc")} {
		w, err := NewWriter(&bytes.Buffer{}, &pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "x"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Write(pipeline.Row{row}); err == nil || !strings.Contains(err.Error(), want) {
			t.Error(err)
		}
	}
	if _, err := NewWriter(&bytes.Buffer{}, &pipeline.Schema{Sequence: true}); err == nil {
		t.Error("sequences are written")
	}
}

// TestWriteDictionary: texts that come again are in a dictionary, and others are not.
func TestWriteDictionary(t *testing.T) {
	var columns []pipeline.Column
	for _, name := range []string{"few", "one", "different", "null"} {
		columns = append(columns, pipeline.StringColumn{Name: name})
	}
	var b bytes.Buffer
	w, err := NewWriter(&b, &pipeline.Schema{Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	row := func(i int) pipeline.Row {
		return pipeline.Row{pipeline.Text(fmt.Sprint(i % 300)), pipeline.Text(""), pipeline.Text(fmt.Sprint(i)),
			pipeline.Null()}
	}
	const rows = 1001
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
	for i, want := range []bool{true, true, false, false} {
		if c := f.groups[0].chunks[i]; c.dictionary > 0 != want || want && c.dictionary >= c.data {
			t.Errorf("column %d has a dictionary at %d and data at %d", i, c.dictionary, c.data)
		}
	}
	r, err := f.Reader([]int{0, 1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := r.Next(rows); n != rows || err != nil {
		t.Fatal(n, err)
	}
	for i := range rows {
		for k, want := range row(i) {
			if v, err := r.Value(k, i); v != want || err != nil {
				t.Fatalf("row %d, column %d: %v, not %v (%v)", i, k, v, want, err)
			}
		}
	}
}
