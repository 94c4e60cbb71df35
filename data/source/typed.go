package source

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/internal/checkup"
	"github.com/dl4go/dl4go/pipeline"
	"github.com/dl4go/dl4go/storage"
)

// typedFormat is a format of files with typed columns.
type typedFormat struct {
	kind string
	open func(path string, in io.ReaderAt, size int64) (typedFile, error)
}

// typedFile is such a file.
type typedFile interface {
	// columns are those of the table.
	columns() []typedColumn
	// rows is how many there are; -1 if the file does not say it.
	rows() int64
	// reader begins to read the columns of these places.
	reader(columns []int) (typedReader, error)
}

// typedColumn is a column. One with a problem can't be read.
type typedColumn struct {
	name    string
	kind    pipeline.ColumnType
	rank    int // of arrays
	problem string
}

// typedReader reads rows, a few at a time. Columns are counted among those that are read, and rows from those that Next
// gave last.
type typedReader interface {
	// Next reads up to n rows, and says how many; 0 at the end.
	Next(n int) (int, error)
	// First is the number of the first of them in the file, from 0.
	First() int64
	// Value gives a value.
	Value(column, row int) (pipeline.Value, error)
	// Text gives a value as text. It is false where there is none.
	Text(column, row int) (string, bool, error)
	// Width is how many numbers the first row has in a column.
	Width(column int) (int, error)
	// Float32s puts a column's numbers into rows of to.
	Float32s(column, width int, to []float32, stride int) error
}

// TableError is an error in a file with typed columns.
type TableError struct {
	Path    string
	Row     int64 // from 1; 0 if it is no row's
	Problem string
}

func (e *TableError) Error() string {
	if e.Row == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s: row %d: %s", e.Path, e.Row, e.Problem)
}

// typedRows reads files of typed columns as numbers.
type typedRows struct {
	gathered
	format typedFormat
	ctx    context.Context
	files  []placedFile // that are still to be read
	opened io.Closer

	file   placedFile
	reader typedReader
	wanted []wantedColumn // in the order of the reader
	parts  []wantedColumn // that the directories' names have
	widths map[string]int // of columns of arrays
	spare  []float32
}

// wantedColumn is a column that is read.
type wantedColumn struct {
	name  string
	at    int // its first place among choice's columns
	width int
}

func newTypedRows(f typedFormat, path string, o CSV, unlabelled bool) *typedRows {
	fail := func(p place, problem string) error {
		e := &TableError{cmp.Or(p.file, path), int64(p.line), problem}
		if p.column > 0 {
			e.Row = 0
		}
		return e
	}
	return &typedRows{gathered: newGathered(f.kind, path, o.asKnown(), unlabelled, fail), format: f}
}

// close closes the file that is open.
func (r *typedRows) close() error {
	if r.opened == nil {
		return nil
	}
	err := r.opened.Close()
	r.opened = nil
	return err
}

// more gathers up to n more rows, of one file. It fails with io.EOF after the last one, and with another error where
// there
// is none at all.
func (r *typedRows) more(n int) error {
	for {
		if r.reader != nil {
			rows, err := r.reader.Next(n)
			if err != nil {
				return err
			}
			if rows > 0 {
				return r.gather(rows)
			}
			r.reader = nil
			if err := r.close(); err != nil {
				return err
			}
		}
		if len(r.files) == 0 {
			if r.rows == 0 {
				return r.errorf(place{}, "there are no examples in it")
			}
			return io.EOF
		}
		next := r.files[0]
		r.files = r.files[1:]
		f, err := storage.OpenWatched(r.ctx, next.path)
		if err != nil {
			return err
		}
		r.opened = f
		if err := r.begin(next, f, f.Size()); err != nil {
			return err
		}
	}
}

// begin begins with a file.
func (r *typedRows) begin(next placedFile, in io.ReaderAt, size int64) error {
	file, err := r.format.open(next.path, in, size)
	if err != nil {
		return err
	}
	r.file = next
	if err := r.fits(file.rows()); err != nil || file.rows() == 0 {
		return err
	}
	if r.columns == nil {
		if err := r.choose(file); err != nil || r.columns == nil {
			return err
		}
	}
	return r.find(file)
}

// fits refuses a file with more rows than this machine has memory for.
func (r *typedRows) fits(rows int64) error {
	if err := checkup.Fits(4 * rows * int64(max(r.features, 1))); err != nil {
		return r.errorf(place{file: r.file.path}, "%d rows: %v", rows, err)
	}
	return nil
}
