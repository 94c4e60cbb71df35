package rowfile

import (
	"io"

	"github.com/dl4go/dl4go/internal/parquet"
	"github.com/dl4go/dl4go/pipeline"
)

// parquetFormat is Parquet with Snappy: columns of the schema's types, which may be null. An array is a list of doubles
// without its shape, and a time a timestamp in milliseconds.
var parquetFormat = Format{Name: "parquet", Endings: []string{".parquet"}, New: newParquet}

type parquetWriter struct {
	*parquet.Writer
	schema *pipeline.Schema
	row    pipeline.Row
}

func newParquet(to io.Writer, o Options) (Writer, error) {
	w, err := parquet.NewWriter(to, o.Schema)
	if err != nil {
		return nil, err
	}
	return &parquetWriter{Writer: w, schema: o.Schema}, nil
}

// Write writes a row.
func (w *parquetWriter) Write(i pipeline.Item) error {
	w.row = w.row[:0]
	for k, v := range i.Row {
		w.row = append(w.row, typed(v, w.schema.Columns[k]))
	}
	return w.Writer.Write(w.row)
}
