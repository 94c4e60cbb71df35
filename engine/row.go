package engine

import (
	"io"
	"iter"
)

// NoIndex is the Index of a row that has none.
const NoIndex int64 = -1

// Row is one record: bytes, whose meaning only higher packages know, and its place in the data set.
//
// The bytes of a row never change. A writer must not write into them afterwards, and a reader may keep them but not
// write into them. So rows pass between operations of one process without a copy.
type Row struct {
	Index int64
	Bytes []byte
}

// Unindexed returns a row without an index.
func Unindexed(b []byte) Row { return Row{Index: NoIndex, Bytes: b} }

// Rows reads the rows of one partition, in order. After the last one, Next returns io.EOF. Any other error ends the
// attempt, even if the operation ignores it. One goroutine at a time may read, and none after the operation has
// returned.
type Rows interface {
	Next() (Row, error)
}

// Writer receives the rows of an operation, in order, and owns their bytes. If Write returns an error, no more rows are
// needed. The operation should return that error.
type Writer interface {
	Write(Row) error
}

// All iterates over the remaining rows. An error comes last.
func All(rows Rows) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for {
			row, err := rows.Next()
			if err == io.EOF || !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// SliceRows reads rows from memory.
func SliceRows(rows []Row) Rows { return &sliceRows{rows} }

type sliceRows struct{ left []Row }

func (s *sliceRows) Next() (Row, error) {
	if len(s.left) == 0 {
		return Row{}, io.EOF
	}
	row := s.left[0]
	s.left = s.left[1:]
	return row, nil
}

// WriterFunc implements [Writer] by a function.
type WriterFunc func(Row) error

// Write calls f.
func (f WriterFunc) Write(row Row) error { return f(row) }

// RowsFunc implements [Rows] by a function.
type RowsFunc func() (Row, error)

// Next calls f.
func (f RowsFunc) Next() (Row, error) { return f() }
