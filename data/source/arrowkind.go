package source

import (
	"io"

	"github.com/dl4go/dl4go/internal/arrow"
)

func init() {
	Register("arrow", typedKind{typedFormat{"arrow", openArrow}, About{
		Form: "arrow:FILE?label=COLUMN",
		Text: "a table in Arrow's IPC format",
		More: `FILE is a file (Feather), a stream in a file, or a directory or a pattern of them, as of parquet:. Lists of
numbers are a feature for each number.`,
		Endings:     []string{".arrow", ".feather", ".arrows", ".ipc"},
		Directories: true,
		Settings:    typedSettings,
	}})
}

func openArrow(path string, in io.ReaderAt, size int64) (typedFile, error) {
	f, err := arrow.Open(path, in, size)
	return arrowFile{f}, err
}

// arrowFile is a file of Arrow's format, read as a table.
type arrowFile struct{ *arrow.File }

// rows returns -1, as the number of rows is unknown: only each batch says how many it has.
func (f arrowFile) rows() int64 { return -1 }

func (f arrowFile) columns() []typedColumn {
	all := make([]typedColumn, len(f.Columns))
	for i, c := range f.Columns {
		all[i] = typedColumn{c.Name, c.Type, c.Rank, c.Problem}
	}
	return all
}

func (f arrowFile) reader(columns []int) (typedReader, error) {
	r, err := f.Reader(columns)
	if err != nil {
		return nil, err
	}
	return r, nil
}
