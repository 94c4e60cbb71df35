package source_test

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// TestWholeColumns: a Parquet file gives the same values column by column and row by row, at the borders of batches and
// row groups, with no, some and only nulls, and with texts that leave the dictionary.
func TestWholeColumns(t *testing.T) {
	schema := &pipeline.Schema{Columns: []pipeline.Column{pipeline.DoubleColumn{Name: "real"},
		pipeline.FloatColumn{Name: "float"}, pipeline.IntegerColumn{Name: "whole"}, pipeline.LongColumn{Name: "long"},
		pipeline.BooleanColumn{Name: "yes"}, pipeline.TimeColumn{Name: "time", Zone: "UTC"},
		pipeline.StringColumn{Name: "few"}, pipeline.StringColumn{Name: "many"}, pipeline.StringColumn{Name: "mixed"}}}
	value := func(column, i int) pipeline.Value {
		switch column {
		case 0:
			return pipeline.Double([]float64{float64(i) / 7, math.Copysign(0, -1), math.MaxFloat64}[i%3])
		case 1:
			return pipeline.Float(float32(i) / 3)
		case 2:
			return pipeline.Integer(int32(-i))
		case 3, 5:
			return pipeline.Long(int64(i) << 33)
		case 4:
			return pipeline.Boolean(i%3 == 0)
		case 6:
			return pipeline.Text([]string{"", "red", "green", "blue, or nearly"}[i*i%4])
		case 7:
			return pipeline.Text(fmt.Sprint("text ", i))
		}
		return pipeline.Text(fmt.Sprint(i % (1 + i/8))) // first a few texts, then many
	}
	null := map[string]func(column, i int) bool{
		"no nulls":   func(int, int) bool { return false },
		"some nulls": func(column, i int) bool { return (i*7+column*3)%11 == 0 },
		"runs":       func(column, i int) bool { return (i+100*column)/300%2 == 0 },
		"many nulls": func(column, i int) bool { return (i*i+column)%5 > 0 },
		"only nulls": func(int, int) bool { return true },
	}
	for name, none := range null {
		for _, rows := range []int{1, 63, 2047, 2049, 5003} {
			var file bytes.Buffer
			w, err := parquet.NewWriter(&file, schema)
			if err != nil {
				t.Fatal(err)
			}
			w.GroupRows = 2500
			for i := range rows {
				var row pipeline.Row
				for k := range schema.Columns {
					if none(k, i) {
						row = append(row, pipeline.Null())
					} else {
						row = append(row, value(k, i))
					}
				}
				if err := w.Write(row); err != nil {
					t.Fatal(err)
				}
			}
			path := filepath.Join(t.TempDir(), "x.parquet")
			if err := w.Finish(); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			n := source.Name{Kind: "parquet", Place: path}
			one, err := source.OpenRows(t.Context(), n, source.RowOptions{})
			if err != nil {
				t.Fatal(err)
			}
			many, err := source.OpenRows(t.Context(), n, source.RowOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var b pipeline.Batch
			found := 0
			for {
				err := many.(source.BatchRows).NextBatch(&b)
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for i := range b.Rows() {
					want, err := one.Next()
					if err != nil {
						t.Fatal(err)
					}
					found++
					for k := range want.Row {
						if got := b.Value(k, i); got.Kind() != want.Row[k].Kind() || got.String() != want.Row[k].String() {
							t.Fatalf("%s, %d rows: row %d, %s: %v, want %v", name, rows, found, schema.Columns[k].Title(), got,
								want.Row[k])
						}
						if now := value(k, found-1); none(k, found-1) != want.Row[k].IsNull() ||
							!want.Row[k].IsNull() && now.String() != want.Row[k].String() {
							t.Fatalf("%s, %d rows: row %d, %s: %v was written, and %v read", name, rows, found,
								schema.Columns[k].Title(), now, want.Row[k])
						}
					}
				}
			}
			if _, err := one.Next(); err != io.EOF || found != rows {
				t.Errorf("%s: %d rows of %d, %v", name, found, rows, err)
			}
			one.Close()
			many.Close()
		}
	}
}
