package source

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// streamed reads files of one kind, example by example.
type streamed interface {
	// open begins to read the files.
	open(in ...io.Reader) error
	// example returns the next example, or io.EOF after the last one. If there is none at all, it returns another
	// error.
	example() (*data.MultiDataSet, error)
	// streamInfo describes the examples, after the first one was read.
	streamInfo() Info
}

// fileExamples reads the examples of open files.
type fileExamples struct {
	rows  streamed
	files []io.Closer
	live  bool
}

// openFiles opens the files of the rows. A single one may be "-", standard input.
func openFiles(ctx context.Context, rows streamed, paths ...string) (Examples, error) {
	e := &fileExamples{rows: rows}
	if err := e.open(ctx, paths); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

func (e *fileExamples) open(ctx context.Context, paths []string) error {
	var in []io.Reader
	for _, path := range paths {
		if path == "-" && len(paths) == 1 {
			in, e.live = append(in, os.Stdin), true
			continue
		}
		f, err := storage.OpenWatched(ctx, path)
		if err != nil {
			return err
		}
		e.files = append(e.files, f)
		in = append(in, f)
		e.live = e.live || f.Size() == 0
	}
	return e.rows.open(in...)
}

func (e *fileExamples) Info() Info { return e.rows.streamInfo() }

func (e *fileExamples) Live() bool { return e.live }

func (e *fileExamples) Next() (*data.MultiDataSet, error) { return e.rows.example() }

// rowsOf returns a function that appends the next example's row, or nil if the rows take no fewer bytes than the
// examples.
func (e *fileExamples) rowsOf() func(b []byte) ([]byte, error) {
	if of, ok := e.rows.(interface {
		appendRow(b []byte) ([]byte, error)
	}); ok {
		return of.appendRow
	}
	return nil
}

func (e *fileExamples) Close() error {
	var errs []error
	for _, f := range e.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// streamName returns a file's name for messages.
func streamName(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}
