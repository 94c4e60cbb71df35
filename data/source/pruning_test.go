package source

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// countedReads counts the bytes that are read from a file.
type countedReads struct {
	io.ReaderAt
	bytes int
}

func (c *countedReads) ReadAt(b []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(b, at)
	c.bytes += n
	return n, err
}

// TestParquetPruning: reading two of 20 columns reads only the bytes of these two.
func TestParquetPruning(t *testing.T) {
	schema := &pipeline.Schema{}
	for i := range 20 {
		schema.Columns = append(schema.Columns, pipeline.DoubleColumn{Name: fmt.Sprint("x", i)})
	}
	var file bytes.Buffer
	w, err := parquet.NewWriter(&file, schema)
	if err != nil {
		t.Fatal(err)
	}
	const rows = 5000
	for i := range rows {
		var row pipeline.Row
		for k := range 20 {
			row = append(row, pipeline.Double(1/float64(3+i*20+k)))
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		wanted      []string
		least, most int // in percent of the file's bytes
	}{{[]string{"x3", "x11"}, 9, 20}, {nil, 90, 110}} {
		in := &countedReads{ReaderAt: bytes.NewReader(file.Bytes())}
		table := &typedTable{ctx: t.Context(), format: typedFormat{"parquet", openParquet}, files: []placedFile{{path: "x"}}}
		if err := table.begin("x", in, int64(file.Len()), c.wanted, c.wanted != nil); err != nil {
			t.Fatal(err)
		}
		var b pipeline.Batch
		got, sum := 0, 0.0
		for {
			err := table.NextBatch(&b)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			x, err := b.Value(0, 0).Double()
			if err != nil {
				t.Fatal(err)
			}
			got, sum = got+b.Rows(), sum+x
		}
		if share := 100 * in.bytes / file.Len(); got != rows || sum == 0 || share < c.least || share > c.most {
			t.Errorf("%v: %d rows, %d of 100 bytes are read, want %d to %d", c.wanted, got, share, c.least, c.most)
		}
	}
}
