package source

import (
	"io"

	"github.com/dl4go/dl4go/internal/parquet"
)

func init() {
	Register("parquet", typedKind{typedFormat{"parquet", openParquet}, About{
		Form: "parquet:FILE?label=COLUMN",
		Text: "a table in Parquet's format",
		More: `FILE may be a directory or a pattern: all its files, those of directories in it too. Directories that are
named COLUMN=VALUE give a column. Arrays are a feature for each number, and Spark ML's vectors are arrays.`,
		Endings:     []string{".parquet", ".parq"},
		Directories: true,
		Settings:    typedSettings,
	}})
}

func openParquet(path string, in io.ReaderAt, size int64) (typedFile, error) {
	f, err := parquet.Open(path, in, size)
	return parquetFile{f}, err
}

// parquetFile is a Parquet file as a table.
type parquetFile struct{ *parquet.File }

func (f parquetFile) rows() int64 { return f.Rows }

func (f parquetFile) columns() []typedColumn {
	all := make([]typedColumn, len(f.Columns))
	for i, c := range f.Columns {
		all[i] = typedColumn{c.Name, c.Type, c.Rank(), c.Problem}
	}
	return all
}

func (f parquetFile) reader(columns []int) (typedReader, error) {
	r, err := f.Reader(columns)
	if err != nil {
		return nil, err
	}
	return r, nil
}
