package records

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/pipeline"
)

// CSVSequences reads sequences. Each file is a sequence, and its lines are the steps.
func CSVSequences(ctx context.Context, paths []string, o CSVOptions) (source.Rows, error) {
	return sequencesOf(paths, func(path string) (source.Rows, error) { return CSV(ctx, path, o) })
}

// JSONSequences reads sequences. Each file is a sequence, and its lines are the steps, as [JSONLines] reads them.
func JSONSequences(ctx context.Context, paths []string, fields ...Field) (source.Rows, error) {
	return sequencesOf(paths, func(path string) (source.Rows, error) { return JSONLines(ctx, path, fields...) })
}

// sequencesOf opens sequences with the columns of the first file.
func sequencesOf(paths []string, open func(path string) (source.Rows, error)) (source.Rows, error) {
	if len(paths) == 0 {
		return nil, errors.New("there are no files of sequences")
	}
	first, err := open(paths[0])
	if err != nil {
		return nil, err
	}
	defer first.Close()
	return &fileSequences{paths: paths, open: open, schema: sequenceOf(first.Schema())}, nil
}

// sequenceOf is the schema of sequences whose steps are rows.
func sequenceOf(rows *pipeline.Schema) *pipeline.Schema {
	s := rows.With(rows.Columns)
	s.Sequence = true
	return s
}

// fileSequences reads files, each of which is a sequence.
type fileSequences struct {
	paths  []string
	open   func(path string) (source.Rows, error)
	schema *pipeline.Schema
	next   int
}

func (s *fileSequences) Schema() *pipeline.Schema { return s.schema }

// Next reads the next file.
func (s *fileSequences) Next() (item pipeline.Item, err error) {
	if s.next == len(s.paths) {
		return item, io.EOF
	}
	path := s.paths[s.next]
	s.next++
	rows, err := s.open(path)
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

func (s *fileSequences) Place() string { return s.paths[max(s.next-1, 0)] }
func (s *fileSequences) Close() error  { return nil }

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
