package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// records reads the records of a table's files, as texts.
type records interface {
	// openPlace opens the first file of a place. It calls begin with the very first record, and begin reports whether
	// that is a header. If the format has column names, these are the first record.
	openPlace(ctx context.Context, place string, f csvFormat, begin func([]string) (header bool, err error)) error
	// openFile opens a single file: one of a known table, unless that is nil. begin is as in openPlace.
	openFile(path string, content Content, f csvFormat, begin func([]string) (header bool, err error), of *TableLook) error
	// read returns the next record, in a slice that it reuses, or io.EOF after the last one.
	read() ([]string, error)
	// at returns the place where a field of the last record begins.
	at(field int) place
	isLive() bool
	close() error
}

// csvReader reads the rows of a table as numbers.
type csvReader struct {
	gathered
	records
	fields   csvFields // of the rows that block added last
	oneByOne int       // rows that block must leave to next
	failed   error     // error of the row after those that some returned last

	mayBeEmpty bool // a file without rows is not an error
}

// newCSVReader returns a reader for the files at a path, which open opens.
func newCSVReader(path string, o CSV, unlabelled bool) csvReader {
	return csvReader{records: &csvTable{again: true}, gathered: newGathered("csv", path, o, unlabelled,
		func(p place, problem string) error {
			return &CSVError{Path: cmp.Or(p.file, path), Line: p.line, Column: p.column, Problem: problem}
		})}
}

// open opens the files of a place.
func (r *csvReader) open(ctx context.Context, place string) error {
	return r.openPlace(ctx, place, r.options.format(), r.begin)
}

// begin examines the very first record.
func (r *csvReader) begin(record []string) (header bool, err error) {
	if header = r.options.isHeader(record); header {
		r.columns = cloned(record)
	}
	return header, r.findLabels(len(record))
}

// next reads a row. It returns io.EOF after the last one, and another error if there is none at all.
func (r *csvReader) next() error {
	record, err := r.records.read()
	if err == io.EOF && r.rows == 0 && !r.mayBeEmpty {
		return r.errorf(place{}, "there are no examples in it")
	}
	if err != nil {
		return err
	}
	return r.record(record)
}

// record adds a row. It adds nothing if the row has an error.
func (r *csvReader) record(record []string) error {
	before := r.lengths()
	err := r.row(record)
	if err != nil {
		r.cut(before)
		return err
	}
	r.rows++
	return nil
}

func (r *csvReader) row(record []string) error {
	at, target := len(r.values), len(r.targetV)
	r.values = slices.Grow(r.values, r.features)[:at+r.features]
	if r.options.Regression {
		r.targetV = slices.Grow(r.targetV, r.targets)[:target+r.targets]
	}
	for i, s := range record {
		if r.slots[i] < 0 && !r.aside(i) && !r.isLabel[i] {
			continue
		}
		s = strings.TrimSpace(s)
		if i == r.key {
			if s == "" {
				return r.errorf(r.at(i), "column %s: the key is missing", r.columnName(i))
			}
			r.keys = append(r.keys, strings.Clone(s))
			continue
		}
		if i == r.weight {
			if err := r.weighs(s, i, r.at(i)); err != nil {
				return err
			}
			continue
		}
		if r.isLabel[i] && r.unlabelled {
			continue
		}
		if r.isLabel[i] && !r.options.Regression {
			if err := r.label(s, i, r.at(i)); err != nil {
				return err
			}
			continue
		}
		v, err := parseFinite(s)
		if err != nil {
			what := strconv.Quote(shorten(s)) + " is not a finite number"
			if s == "" {
				what = "the value is missing"
			}
			err := r.errorf(r.at(i), "column %s: %s", r.columnName(i), what)
			if wrong := (*CSVError)(nil); errors.As(err, &wrong) {
				wrong.Raw = !r.isLabel[i]
			}
			return err
		}
		if r.isLabel[i] {
			r.targetV[target+r.slots[i]] = v
		} else {
			r.values[at+r.slots[i]] = v
		}
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
