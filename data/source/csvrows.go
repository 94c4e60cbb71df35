package source

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// csvReader reads the rows of a CSV file.
type csvReader struct {
	choice

	csv   *csv.Reader
	guard *csvGuard
	begun bool

	rows    int
	values  []float32 // features, row by row
	keys    []string  // of the rows
	targetV []float32 // labels of a regression, row by row
}

// newCSVReader prepares for a file of this name.
func newCSVReader(path string, o CSV, unlabelled bool) csvReader {
	return csvReader{choice: newChoice(path, o, unlabelled, func(p place, problem string) error {
		return &CSVError{path, p.line, p.column, problem}
	})}
}

func (r *csvReader) at(field int) place {
	line, column := r.csv.FieldPos(field)
	return place{line, column}
}

// open prepares to read.
func (r *csvReader) open(file io.Reader) {
	in := bufio.NewReader(file)
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	head, _ := in.Peek(min(8, in.Buffered())) // what has come: more may be a while
	r.guard = newCSVGuard(r.path, in, r.options.Delimiter)
	if UTF16(head) {
		r.guard.failed = r.errorf(place{}, "it is text in UTF-16: save it as UTF-8")
	}
	r.csv = csv.NewReader(bufio.NewReaderSize(r.guard, 64<<10))
	r.csv.ReuseRecord = true
	if r.options.Delimiter != 0 {
		r.csv.Comma = r.options.Delimiter
	}
}

// read reads all rows.
func (r *csvReader) read(file io.Reader) error {
	r.open(file)
	for {
		if err := r.next(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// next reads a row. It fails with io.EOF after the last one, and where there is none at all with another error.
func (r *csvReader) next() error {
	for {
		record, err := r.csv.Read()
		if cause := r.guard.cause(err); cause != nil {
			return cause
		}
		var p *csv.ParseError
		switch {
		case err == io.EOF:
			if r.rows == 0 {
				return r.errorf(place{}, "there are no examples in it")
			}
			return io.EOF
		case errors.As(err, &p) && errors.Is(err, csv.ErrFieldCount):
			return r.errorf(place{p.Line, 1}, "this line has %d fields, the first line has %d", len(record), r.csv.FieldsPerRecord)
		case errors.As(err, &p):
			return r.errorf(place{p.Line, p.Column}, "%v", p.Err)
		case err != nil:
			return fmt.Errorf("%s: %w", r.path, err)
		}
		if !r.begun {
			r.begun = true
			header := r.isHeader(record)
			if header {
				r.columns = slices.Clone(record)
			}
			if err := r.findLabels(len(record)); err != nil {
				return err
			}
			if header {
				continue
			}
		}
		return r.record(record)
	}
}

func (r *csvReader) record(record []string) error {
	at, target := len(r.values), len(r.targetV)
	r.values = slices.Grow(r.values, r.features)[:at+r.features]
	if r.options.Regression {
		r.targetV = slices.Grow(r.targetV, r.targets)[:target+r.targets]
	}
	for i, s := range record {
		if r.slots[i] < 0 && i != r.key && !r.isLabel[i] {
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
		if r.isLabel[i] && r.unlabelled {
			continue
		}
		if r.isLabel[i] && !r.options.Regression {
			if err := r.label(s, i, r.at(i)); err != nil {
				return err
			}
			continue
		}
		v, err := strconv.ParseFloat(s, 32)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			what := strconv.Quote(shorten(s)) + " is not a finite number"
			if s == "" {
				what = "the value is missing"
			}
			return r.errorf(r.at(i), "column %s: %s", r.columnName(i), what)
		}
		if r.isLabel[i] {
			r.targetV[target+r.slots[i]] = float32(v)
		} else {
			r.values[at+r.slots[i]] = float32(v)
		}
	}
	r.rows++
	return nil
}

func shorten(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}
