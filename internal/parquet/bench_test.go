package parquet

import (
	"bytes"
	"testing"

	"github.com/dl4go/dl4go/pipeline"
)

// BenchmarkFloat32s reads 28 columns of floats, compressed with Snappy, into minibatches of 1,024 rows. It counts the
// bytes of the minibatches.
func BenchmarkFloat32s(b *testing.B) {
	schema := &pipeline.Schema{}
	var columns []int
	for i := range 28 {
		schema.Columns = append(schema.Columns, pipeline.FloatColumn{Name: string(rune('a' + i))})
		columns = append(columns, i)
	}
	var file bytes.Buffer
	w, err := NewWriter(&file, schema)
	if err != nil {
		b.Fatal(err)
	}
	const rows = 200_000
	row := make(pipeline.Row, len(columns))
	for i := range rows {
		for k := range row {
			row[k] = pipeline.Float(float32(i*(k+3)%10007) / 7)
		}
		if err := w.Write(row); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		b.Fatal(err)
	}
	f, err := Open("x", bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		b.Fatal(err)
	}
	to := make([]float32, 1024*len(columns))
	b.SetBytes(4 * rows * int64(len(columns)))
	for b.Loop() {
		r, err := f.Reader(columns)
		if err != nil {
			b.Fatal(err)
		}
		for n := 1; n > 0; {
			if n, err = r.Next(1024); err != nil {
				b.Fatal(err)
			}
			for k := range columns {
				if err := r.Float32s(k, 1, to[k:], len(columns)); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
}
