package source

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dl4go/dl4go/data"
)

// csvFormat holds the settings for reading the text of CSV files.
type csvFormat struct {
	delimiter, comment rune
	encoding           string
	quote              byte // 0 means "
	skip               int  // lines at the beginning of each file
}

// csvTable reads the records of CSV files one after the other, as one table: it puts the fields in the order of the
// first file's columns.
type csvTable struct {
	// header examines the very first record, and reports whether it is a header.
	header func(record []string) (bool, error)
	head   []string // the header; nil if there is none

	fileTexts
	format csvFormat
	csv    *csvParser
	again  bool // csvParser.again

	first   string // file of the first record; empty if none was read
	before  FirstFile
	width   int   // number of the first record's fields
	fresh   bool  // no record of this file has been read
	order   []int // index of each column's field in this file; nil if they are in order
	ordered []string
}

// openPlace opens the first file of a place.
func (t *csvTable) openPlace(ctx context.Context, place string, f csvFormat, begin func([]string) (bool, error)) error {
	t.format, t.header = f, begin
	if err := t.find(ctx, place, f.encoding); err != nil {
		return err
	}
	return t.nextFile()
}

// nextFile opens the next file.
func (t *csvTable) nextFile() error {
	path, file, err := t.next()
	if err != nil {
		return err
	}
	return t.openText(path, file, t.format)
}

// openText starts to parse the text of a file.
func (t *csvTable) openText(path string, file io.Reader, f csvFormat) error {
	t.encoding = f.encoding
	text, err := t.text(path, file)
	if err != nil {
		return err
	}
	t.csv, t.fresh, t.order = newCSVParser(path, text, f.delimiter, f.comment), true, nil
	t.csv.single = t.first != "" && t.width == 1 && t.head == nil // a header comes before
	if t.csv.again = t.again; f.quote != 0 {
		t.csv.quote = f.quote
	}
	return t.csv.skip(f.skip)
}

// read returns the next record, in a slice that it reuses, or io.EOF after the last one.
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
			t.fresh, t.csv.single = false, t.width == 1
		}
		if header {
			continue
		}
		if len(record) != t.width {
			return nil, &raggedError{t.csv.errorf(place{line: t.csv.begins, column: 1},
				"this line has %s, %s has %d", counted(len(record), "field"), t.firstLine(), t.width)}
		}
		return t.arranged(record), nil
	}
}

// firstLine names the first line of the table.
func (t *csvTable) firstLine() string {
	switch {
	case t.first != t.csv.path:
		return "the first line of " + t.first
	case t.before.Path != "" && t.before.Path != t.first && t.before.Columns == t.width:
		return "the first line of " + t.before.Path
	}
	return "the first line"
}

// beginFile examines a file's first record, and reports whether it is a header. It returns an error if a header is not
// UTF-8.
func (t *csvTable) beginFile(record []string) (header bool, err error) {
	if header, err = t.takeFirst(record); err != nil || !header {
		return header, err
	}
	for i, name := range record {
		if !utf8.ValidString(name) {
			return false, &headerError{t.csv.errorf(place{line: t.csv.begins, column: 1},
				"the name of column %d, %.40q, is not UTF-8; encoding=NAME says what it is, such as latin-1", i+1, name)}
		}
	}
	return true, nil
}

// takeFirst examines a file's first record, and reports whether it is a header.
func (t *csvTable) takeFirst(record []string) (header bool, err error) {
	if t.first == "" {
		t.first, t.width = t.csv.path, len(record)
		header, err := t.header(record)
		if header {
			t.head = cloned(record)
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

// cloned returns copies of the texts.
func cloned(texts []string) []string {
	to := make([]string, len(texts))
	for i, s := range texts {
		to[i] = strings.Clone(s)
	}
	return to
}

// headerError is an error of a whole file.
type headerError struct{ err error }

func (e *headerError) Error() string { return e.err.Error() }
func (e *headerError) Unwrap() error { return e.err }

// arranged returns a record in the order of the columns.
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

// isLive reports whether the next record may be long in coming.
func (t *csvTable) isLive() bool { return t.live }

// at returns the place where a field of the last record begins.
func (t *csvTable) at(field int) place {
	if t.order != nil {
		field = t.order[field]
	}
	return t.csv.at(field)
}
