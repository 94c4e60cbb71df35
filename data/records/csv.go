package records

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// CSVOptions are how CSV files are read. The zero value has commas and double quotes.
type CSVOptions struct {
	Skip      int  // lines at the beginning of each file
	Delimiter rune // 0 means a comma
	Quote     byte // 0 means a double quote
}

// CSV reads rows of texts from a file, a directory, or the files that match a pattern. Use Skip for header lines.
func CSV(ctx context.Context, path string, o CSVOptions) (source.Rows, error) {
	header := false
	return source.OpenCSVRows(ctx, path, source.CSV{Skip: o.Skip, Delimiter: o.Delimiter, Quote: o.Quote, Header: &header},
		source.RowOptions{})
}

// Numbered returns the names of files that differ by a number, from a pattern such as "features/%d.csv" and the first
// and the last number.
func Numbered(pattern string, from, to int) (paths []string) {
	for i := from; i <= to; i++ {
		paths = append(paths, fmt.Sprintf(pattern, i))
	}
	return paths
}

// CSVSequences reads sequences: each file is one.
func CSVSequences(ctx context.Context, paths []string, o CSVOptions) (source.Rows, error) {
	if len(paths) == 0 {
		return nil, errors.New("there are no files of sequences")
	}
	first, err := CSV(ctx, paths[0], o)
	if err != nil {
		return nil, err
	}
	defer first.Close()
	s := first.Schema().With(first.Schema().Columns)
	s.Sequence = true
	return &csvSequences{ctx: ctx, paths: paths, o: o, schema: s}, nil
}

type csvSequences struct {
	ctx    context.Context
	paths  []string
	o      CSVOptions
	schema *pipeline.Schema
	next   int
}

func (s *csvSequences) Schema() *pipeline.Schema { return s.schema }

// Next reads the next file.
func (s *csvSequences) Next() (item pipeline.Item, err error) {
	if s.next == len(s.paths) {
		return item, io.EOF
	}
	path := s.paths[s.next]
	s.next++
	rows, err := CSV(s.ctx, path, s.o)
	if err != nil {
		return item, err
	}
	defer rows.Close()
	if has, want := len(rows.Schema().Columns), len(s.schema.Columns); has != want {
		return item, fmt.Errorf("%s: there are %d columns, and %d in %s", path, has, want, s.paths[0])
	}
	item.Sequence, err = take(rows, -1)
	return item, err
}

func (s *csvSequences) Place() string { return s.paths[max(s.next-1, 0)] }
func (s *csvSequences) Close() error  { return nil }

// take reads n rows, or fewer at the end; all of them if n is negative.
func take(rows source.Rows, n int) (taken []pipeline.Row, err error) {
	taken = []pipeline.Row{}
	for n < 0 || len(taken) < n {
		item, err := rows.Next()
		if err == io.EOF {
			return taken, nil
		}
		if err != nil {
			return nil, err
		}
		taken = append(taken, item.Row)
	}
	return taken, nil
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
	s := rows.Schema().With(rows.Schema().Columns)
	s.Sequence = true
	return &csvLines{rows, n, s, ""}, nil
}

type csvLines struct {
	source.Rows
	n      int
	schema *pipeline.Schema
	place  string
}

func (s *csvLines) Schema() *pipeline.Schema { return s.schema }
func (s *csvLines) Place() string            { return s.place }

// Next reads the next lines.
func (s *csvLines) Next() (pipeline.Item, error) {
	first, err := s.Rows.Next()
	if err != nil {
		return first, err
	}
	s.place = s.Rows.Place()
	rest, err := take(s.Rows, s.n-1)
	return pipeline.Item{Sequence: append([]pipeline.Row{first.Row}, rest...)}, err
}
