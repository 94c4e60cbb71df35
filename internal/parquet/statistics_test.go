package parquet

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// TestExtents: the values of each row group are in the extents that its statistics give, in files of other writers and
// of Writer. Each type that has an order has bounds somewhere.
func TestExtents(t *testing.T) {
	files, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	bounded := map[pipeline.ColumnType]int{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		checkExtents(t, path, b, bounded)
	}
	foreign := len(bounded)
	checkExtents(t, "written", numbered(t, 100, 7), bounded)
	for _, kind := range []pipeline.ColumnType{pipeline.BooleanType, pipeline.IntegerType, pipeline.LongType,
		pipeline.DoubleType, pipeline.FloatType, pipeline.TimeType, pipeline.StringType} {
		if bounded[kind] == 0 {
			t.Errorf("no column of type %s has bounds: %v, %d of them in files of others", kind, bounded, foreign)
		}
	}
}

// checkExtents reads all readable columns of a file, and counts those with bounds by type.
func checkExtents(t *testing.T, path string, b []byte, bounded map[pipeline.ColumnType]int) {
	t.Helper()
	f, err := Open(path, bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Columns {
		if c.Problem != "" || c.form != scalar {
			continue
		}
		r, err := f.Reader([]int{i})
		if err != nil {
			t.Fatal(err)
		}
		var e pipeline.Extent
		r.PassOver(func(columns []pipeline.Extent) bool {
			if e = columns[0]; !e.Low.IsNull() {
				bounded[c.Type]++
			}
			return false
		})
		for {
			n, err := r.Next(100)
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
			for row := range n {
				v, err := r.Value(0, row)
				if err != nil {
					t.Fatal(err)
				}
				if !within(v, e) {
					t.Errorf("%s: column %q: %v is not in %+v", path, c.Name, v, e)
				}
			}
		}
	}
}

// within reports whether an extent allows a value.
func within(v pipeline.Value, e pipeline.Extent) bool {
	x, err := v.Double()
	switch {
	case v.IsNull():
		return !e.NoNulls
	case e.AllNull:
		return false
	case err == nil && !v.IsText() && x != x:
		return !e.NoNaN
	case e.Low.IsNull():
		return true
	}
	return v.Kind() == e.Low.Kind() && inOrder(e.Low, v) && inOrder(v, e.High)
}

// numbered returns a file of rows 0, 1, … with columns of all scalar types, in row groups of this size.
func numbered(t *testing.T, rows, group int) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, &pipeline.Schema{Columns: []pipeline.Column{pipeline.LongColumn{Name: "n"},
		pipeline.IntegerColumn{Name: "i"}, pipeline.DoubleColumn{Name: "x"}, pipeline.FloatColumn{Name: "y"},
		pipeline.StringColumn{Name: "s"}, pipeline.TimeColumn{Name: "t"}, pipeline.BooleanColumn{Name: "b"}}})
	if err != nil {
		t.Fatal(err)
	}
	w.GroupRows = group
	for k := range rows {
		row := pipeline.Row{pipeline.Long(int64(k)), pipeline.Integer(int32(-k)), pipeline.Double(float64(k) / 3),
			pipeline.Float(float32(k)), pipeline.Text(fmt.Sprintf("row %d", k)), pipeline.Long(int64(k) * 1e6),
			pipeline.Boolean(k%2 == 0)}
		if k%10 == 9 {
			row[k/10%7] = pipeline.Null()
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// TestSkip passes over row groups: their pages are not read, and other rows keep their numbers.
func TestSkip(t *testing.T) {
	b := numbered(t, 100, 7)
	in := &counted{Reader: bytes.NewReader(b)}
	f, err := Open("x", in, int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Reader([]int{0, 4})
	if err != nil {
		t.Fatal(err)
	}
	in.bytes = 0
	r.PassOver(func(columns []pipeline.Extent) bool {
		high, _ := columns[0].High.Long()
		return high < 50 || high >= 80
	})
	rows, passed := int64(0), int64(0)
	for {
		n, err := r.Next(5)
		if err != nil {
			t.Fatal(err)
		}
		if passed += r.Passed(); n == 0 {
			break
		}
		for row := range n {
			v, err := r.Value(1, row)
			want := fmt.Sprintf("row %d", r.First()+int64(row))
			if err != nil || !v.IsNull() && v.String() != want {
				t.Errorf("%v, %v, not %s", v, err, want)
			}
		}
		rows += int64(n)
	}
	// 15 groups of 7 rows: those of rows 49 to 55, …, 70 to 76 are read
	if rows != 28 || passed != 72 || r.passedGroups != 11 {
		t.Errorf("%d rows are read, %d and %d groups passed over", rows, passed, r.passedGroups)
	}
	if share := 100 * in.bytes / (len(b) - 8 - int(le.Uint32(b[len(b)-8:]))); share > 20 {
		t.Errorf("%d of 100 bytes are read", share)
	}
}

type counted struct {
	*bytes.Reader
	bytes int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.Reader.ReadAt(b, at)
	c.bytes += n
	return n, err
}

// TestStatisticsInDoubt: statistics that can't be right, or whose order is unknown, are ignored.
func TestStatisticsInDoubt(t *testing.T) {
	type field struct {
		id   int
		text string
		n    int64
	}
	of := func(fields ...field) []byte {
		w := &thriftWriter{}
		w.begin()
		for _, f := range fields {
			if f.id == 3 {
				w.i64(3, f.n)
			} else {
				w.text(f.id, f.text)
			}
		}
		w.end()
		return w.b
	}
	number := func(n uint32) string { return string(le.AppendUint32(nil, n)) }
	real := func(x uint64) string { return string(le.AppendUint64(nil, x)) }
	integer := element{physical: physicalInt32}
	unsigned := element{physical: physicalInt32, logical: logical{kind: logicalInteger, bits: 32, unsigned: true}}
	text := element{physical: physicalBytes, logical: logical{kind: logicalString}}
	double := element{physical: physicalDouble}
	fixed := element{physical: physicalFixed, length: 4, logical: logical{kind: logicalDecimal}}
	bytesDecimal := element{physical: physicalBytes, logical: logical{kind: logicalDecimal}}
	for _, c := range []struct {
		what          string
		e             element
		statistics    []byte
		ordered       bool
		bounds, nulls bool // expected to be known
	}{
		{"all", integer, of(field{3, "", 0}, field{5, number(7), 0}, field{6, number(1), 0}), true, true, true},
		{"no order", integer, of(field{3, "", 0}, field{5, number(7), 0}, field{6, number(1), 0}), false, false, true},
		{"older fields", integer, of(field{1, number(7), 0}, field{2, number(1), 0}), false, true, false},
		{"older fields of unsigned numbers", unsigned, of(field{1, number(7), 0}, field{2, number(1), 0}), true, false,
			false},
		{"older fields of texts", text, of(field{1, "b", 0}, field{2, "a", 0}), true, false, false},
		{"unsigned", unsigned, of(field{5, number(1 << 31), 0}, field{6, number(1), 0}), true, true, false},
		{"texts", text, of(field{5, "b", 0}, field{6, "a", 0}), true, true, false},
		{"upside down", integer, of(field{5, number(1), 0}, field{6, number(7), 0}), true, false, false},
		{"a text upside down", text, of(field{5, "a", 0}, field{6, "b", 0}), true, false, false},
		{"too short", integer, of(field{5, "\x07", 0}, field{6, number(1), 0}), true, false, false},
		{"one bound", integer, of(field{5, number(7), 0}), true, false, false},
		{"too many nulls", integer, of(field{3, "", 9}, field{5, number(7), 0}, field{6, number(1), 0}), true, false,
			false},
		{"fewer than no nulls", integer, of(field{3, "", -5}, field{5, number(7), 0}, field{6, number(1), 0}), true, false,
			false},
		{"NaN", double, of(field{5, real(0x7ff8000000000001), 0}, field{6, real(0), 0}), true, false, false},
		{"decimal", fixed, of(field{5, number(7), 0}, field{6, number(1), 0}), true, false, false},
		{"decimal of bytes", bytesDecimal, of(field{5, "\x07", 0}, field{6, "\x01", 0}), true, false, false},
		{"none", integer, nil, true, false, false},
		{"damaged", integer, []byte{0xff, 0xff}, true, false, false},
	} {
		n := node{element: c.e}
		n.repetition, n.name = fieldOptional, "x"
		column := columnOf(&n)
		e := column.extent(column.leaves[0], chunkMeta{values: 8, statistics: c.statistics}, c.ordered)
		if e.Low.IsNull() == c.bounds || e.High.IsNull() == c.bounds || e.NoNulls != c.nulls || e.AllNull || e.NoNaN {
			t.Errorf("%s: %+v", c.what, e)
		}
	}
	n := node{element: integer}
	n.repetition = fieldOptional
	column := columnOf(&n)
	if e := column.extent(column.leaves[0], chunkMeta{values: 8, statistics: of(field{3, "", 8})}, true); !e.AllNull {
		t.Errorf("nothing but nulls: %+v", e)
	}
}
