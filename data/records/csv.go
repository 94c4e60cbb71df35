package records

import (
	"context"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// CSVOptions are settings for CSV files. The zero value is for files with commas and double quotes, without a header.
type CSVOptions struct {
	Skip      int  // number of lines to skip at the beginning of each file
	Delimiter rune // 0 means a comma
	Quote     byte // 0 means a double quote
}

func (o CSVOptions) source() source.CSV {
	return source.CSV{Skip: o.Skip, Delimiter: o.Delimiter, Quote: o.Quote, Header: new(bool)}
}

// CSV reads rows of texts from a file, a directory, or the files that match a pattern. Header lines are rows, unless
// Skip leaves them out.
func CSV(ctx context.Context, path string, o CSVOptions) (source.Rows, error) {
	return source.OpenCSVRows(ctx, path, o.source(), source.RowOptions{})
}

// Numbered returns names of files that differ by a number. The pattern is a format such as "features/%d.csv"; from and
// to are the first and the last number.
func Numbered(pattern string, from, to int) (paths []string) {
	for i := from; i <= to; i++ {
		paths = append(paths, fmt.Sprintf(pattern, i))
	}
	return paths
}

// CSVLines reads sequences of n lines each; the last one may be shorter.
func CSVLines(ctx context.Context, path string, n int, o CSVOptions) (source.Rows, error) {
	if n < 1 {
		return nil, fmt.Errorf("sequences of %d lines: the number must be positive", n)
	}
	rows, err := CSV(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &csvLines{rows, n, sequenceOf(rows.Schema()), ""}, nil
}

type csvLines struct {
	source.Rows
	n      int
	schema *pipeline.Schema
	place  string
}

func (s *csvLines) Schema() *pipeline.Schema { return s.schema }
func (s *csvLines) Place() string            { return s.place }

// Next reads the next lines. If one of them is bad, it passes over the others: later sequences begin where they do
// without it.
func (s *csvLines) Next() (item pipeline.Item, err error) {
	var bad error
	for n := range s.n {
		row, err := s.Rows.Next()
		if n == 0 {
			s.place = s.Rows.Place()
		}
		if err == io.EOF && n > 0 {
			break
		}
		if err != nil && !isBadRow(err) {
			return pipeline.Item{}, err
		}
		if err != nil && bad == nil {
			bad = err
		}
		item.Sequence = append(item.Sequence, row.Row)
	}
	if bad != nil {
		return pipeline.Item{}, bad
	}
	return item, nil
}

// CSVWindows reads sequences that overlap. It returns one for every stride-th line: this line and up to n-1 lines
// before it, the latest first. After the last line, the windows shrink to the last stride lines, as in DataVec.
func CSVWindows(ctx context.Context, path string, n, stride int, o CSVOptions) (source.Rows, error) {
	if n < 1 || stride < 1 {
		return nil, fmt.Errorf("windows of %d lines, %d apart: both numbers must be positive", n, stride)
	}
	rows, err := CSV(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return &csvWindows{Rows: rows, n: n, stride: stride, schema: sequenceOf(rows.Schema())}, nil
}

type csvWindows struct {
	source.Rows
	n, stride int
	schema    *pipeline.Schema
	window    []pipeline.Row // the latest one first
	moved     int            // of stride, if a line was bad
	ended     bool
}

func (s *csvWindows) Schema() *pipeline.Schema { return s.schema }

// Next moves the window.
func (s *csvWindows) Next() (item pipeline.Item, err error) {
	for ; s.moved < s.stride; s.moved++ {
		next, err := take(s.Rows, 1)
		if err != nil {
			return item, err
		}
		s.window, s.ended = append(next, s.window...), s.ended || len(next) == 0
		if n := len(s.window); n > s.n || s.ended && n > 0 {
			s.window = s.window[:n-1]
		}
	}
	s.moved = 0
	if len(s.window) == 0 {
		return item, io.EOF
	}
	item.Sequence = append(item.Sequence, s.window...)
	if s.ended && len(s.window) == 1 {
		s.window = nil
	}
	return item, nil
}
