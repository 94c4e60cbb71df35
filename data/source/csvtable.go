package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/storage"
)

// csvFormat is how the text of CSV files is read.
type csvFormat struct {
	delimiter, comment rune
	encoding           string
}

// csvTable reads the records of CSV files one after the other, as those of one table: each in the order of the first
// file's columns.
type csvTable struct {
	// header looks at the first record of all, and says whether it is a header.
	header func(record []string) (bool, error)
	head   []string // the header; nil if there is none

	ctx    context.Context
	format csvFormat
	files  []string // that are still to be read
	live   bool     // the first one may be a while in coming
	csv    *csvParser
	opened []io.Closer

	first   string // the file of the first record; empty if there was none
	width   int    // of that
	fresh   bool   // no record of this file was read
	order   []int  // of each column, its field in this file; nil if they are in order
	ordered []string
}

// openPlace opens the first file of a place.
func (t *csvTable) openPlace(ctx context.Context, place string, f csvFormat) error {
	files, err := placeFiles(ctx, place)
	if err != nil {
		return err
	}
	t.ctx, t.files, t.format = ctx, files, f
	return t.nextFile()
}

// nextFile opens the next file.
func (t *csvTable) nextFile() error {
	path := t.files[0]
	t.files = t.files[1:]
	if path == "-" {
		t.live = true
		return t.openText(streamName(path), os.Stdin, t.format)
	}
	f, err := storage.Open(t.ctx, path)
	if err != nil {
		return err
	}
	t.opened = append(t.opened, f)
	t.live = t.live || f.Size() == 0
	return t.openText(path, f, t.format)
}

// openText begins with the text of a file.
func (t *csvTable) openText(path string, file io.Reader, f csvFormat) error {
	plain, err := unpacked(file)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	t.opened = append(t.opened, plain)
	text, utf16 := decoded(plain, f.encoding)
	t.csv, t.fresh, t.order = newCSVParser(path, text, f.delimiter, f.comment), true, nil
	if utf16 {
		t.csv.ended = t.csv.errorf(place{}, "it is text in UTF-16: save it as UTF-8, or say encoding=utf-16")
	}
	return nil
}

// read gives the next record, in a slice that it uses again; io.EOF after the last one.
func (t *csvTable) read() ([]string, error) {
	for {
		record, err := t.csv.read()
		if err == io.EOF && len(t.files) > 0 {
			if err := errors.Join(t.close(), t.nextFile()); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		header := false
		if t.fresh {
			if header, err = t.beginFile(record); err != nil {
				return nil, err
			}
			t.fresh = false
		}
		if header {
			continue
		}
		if len(record) != t.width {
			line := "the first line"
			if t.first != t.csv.path {
				line += " of " + t.first
			}
			return nil, t.csv.errorf(place{line: t.csv.begins, column: 1},
				"this line has %d fields, %s has %d", len(record), line, t.width)
		}
		return t.arranged(record), nil
	}
}

// begin takes a file's first record, and says whether it is a header.
func (t *csvTable) beginFile(record []string) (header bool, err error) {
	if t.first == "" {
		t.first, t.width = t.csv.path, len(record)
		header, err := t.header(record)
		if header {
			t.head = slices.Clone(record)
		}
		return header, err
	}
	if t.head == nil || slices.Equal(record, t.head) {
		return t.head != nil, nil
	}
	t.order = make([]int, t.width)
	for i, name := range t.head {
		if t.order[i] = slices.Index(record, name); t.order[i] < 0 || len(record) != t.width {
			return false, &headerError{t.csv.errorf(place{line: t.csv.begins, column: 1},
				"the columns are %s, and those of %s are %s: all files need the same",
				data.ShortList(record), t.first, data.ShortList(t.head))}
		}
	}
	if name, twice := data.Repeated(t.head); twice {
		return false, &headerError{t.csv.errorf(place{line: t.csv.begins, column: 1},
			"two columns have the name %q, and the order is not that of %s", name, t.first)}
	}
	return true, nil
}

// headerError is an error of a whole file.
type headerError struct{ err error }

func (e *headerError) Error() string { return e.err.Error() }
func (e *headerError) Unwrap() error { return e.err }

// arranged is a record in the order of the columns.
func (t *csvTable) arranged(record []string) []string {
	if t.order == nil {
		return record
	}
	t.ordered = t.ordered[:0]
	for _, i := range t.order {
		t.ordered = append(t.ordered, record[i])
	}
	return t.ordered
}

// at is where a field of the last record begins.
func (t *csvTable) at(field int) place {
	if t.order != nil {
		field = t.order[field]
	}
	return t.csv.at(field)
}

// close closes the files that are open.
func (t *csvTable) close() error {
	var errs []error
	for _, c := range slices.Backward(t.opened) {
		errs = append(errs, c.Close())
	}
	t.opened = nil
	return errors.Join(errs...)
}
