package source

import (
	"fmt"
	"strings"
)

// choice decides which columns of a table are features, labels, key and weights, and which classes the labels have. CSV
// and Parquet files share it.
type choice struct {
	path    string
	options CSV
	fail    func(p place, problem string) error

	columns    []string // the header; nil if there is none
	isLabel    []bool
	key        int  // the key's column; -1 if there is none
	weight     int  // the weights' column; -1 if there is none
	unlabelled bool // labels are not read
	features   int  // number of feature columns
	targets    int  // number of label columns
	// slots are the columns' indices among the features or, for regression, among the labels. A column with -1 has
	// none.
	slots  []int
	unused []string               // columns that are not read
	find   func(class string) int // index among the schema's classes; nil until needed

	class   []int32  // index in names, for each row
	names   []string // distinct labels in order of appearance
	nameAt  map[string]int32
	firstAt []place // of each name
}

// place is the position at which a field begins, counted from 1.
type place struct {
	line, column int
	file         string // empty if there is only one
}

func newChoice(path string, o CSV, unlabelled bool, fail func(p place, problem string) error) choice {
	return choice{path: path, options: o, unlabelled: unlabelled, fail: fail, nameAt: map[string]int32{}}
}

func (r *choice) errorf(p place, format string, args ...any) error {
	return r.fail(p, fmt.Sprintf(format, args...))
}

// label adds the class of a row.
func (r *choice) label(s string, column int, at place) error {
	if s == "" {
		return r.errorf(at, "column %s: the label is missing", r.columnName(column))
	}
	k, known := r.nameAt[s]
	if !known {
		if len(r.names) == maxClasses {
			return r.errorf(at, "there are more than %d different labels: "+
				"say regression=true if they are numbers, not classes", maxClasses)
		}
		k = int32(len(r.names))
		s = strings.Clone(s)
		r.nameAt[s] = k
		r.names = append(r.names, s)
		r.firstAt = append(r.firstAt, at)
	}
	r.class = append(r.class, k)
	return nil
}
