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

// typedFile is a file of a typedFormat.
type typedFile interface {
	// columns returns the columns of the table.
	columns() []typedColumn
	// rows returns the number of rows, or -1 if the file does not tell it.
	rows() int64
	// reader starts to read the columns at these indices.
	reader(columns []int) (typedReader, error)
}

// typedColumn is a column. A column with a problem can't be read.
type typedColumn struct {
	name    string
	kind    pipeline.ColumnType
	rank    int // of arrays
	problem string
}

// typedReader reads rows, a few at a time. Columns are indices among those that are read, and rows are indices among
// those of the last Next.
type typedReader interface {
	// Next reads up to n rows, and returns their number, or 0 at the end.
	Next(n int) (int, error)
	// First returns the number of the first of these rows in the file, from 0.
	First() int64
	// Value returns a value.
	Value(column, row int) (pipeline.Value, error)
	// Text returns a value as text, or false if it is null.
	Text(column, row int) (string, bool, error)
	// Width returns how many numbers a column has in the first of these rows.
	Width(column int) (int, error)
	// Float32s writes a column's numbers into rows of to that are stride numbers long.
	Float32s(column, width int, to []float32, stride int) error
}

// TableError is an error in a file with typed columns.
type TableError struct {
	Path    string
	Row     int64 // from 1; 0 if the error concerns no row
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
	files  []placedFile // files that are not yet read
	opened io.Closer

	file   placedFile
	reader typedReader
	wanted []wantedColumn // columns in the order of the reader
	parts  []wantedColumn // columns in the names of directories
	widths map[string]int // of array columns
	spare  []float32
}

// wantedColumn is a column that is read.
type wantedColumn struct {
	name  string
	at    int // index of its first number among choice's columns
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

// close closes the open file.
func (r *typedRows) close() error {
	if r.opened == nil {
		return nil
	}
	err := r.opened.Close()
	r.opened = nil
	return err
}

// more gathers up to n more rows, of one file. It returns io.EOF after the last one. If there is none at all, it
// returns another error.
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

// begin starts to read a file.
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

// fits returns an error if a file has more rows than this machine has memory for.
func (r *typedRows) fits(rows int64) error {
	if err := checkup.Fits(4 * rows * int64(max(r.features, 1))); err != nil {
		return r.errorf(place{file: r.file.path}, "%d rows: %v", rows, err)
	}
	return nil
}
