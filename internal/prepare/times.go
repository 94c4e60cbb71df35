package prepare

import (
	"fmt"
	"strings"

	"github.com/dl4go/dl4go/internal/instant"
	"github.com/dl4go/dl4go/internal/stored"
)

// times holds a number or a date for each row, in a file if there are many rows.
type times struct {
	column string
	text   string // of row 1
	date   bool   // it is a date
	keys   *stored.Keys
	sample *rowSet // the rows to choose from; nil: all
	err    error   // of the first row that can't be compared with those before
}

// newTimes returns the times of a column, without rows.
func newTimes(column string) *times { return &times{column: column, keys: stored.NewKeys()} }

// add appends the text of a row. After a text that is not a time, it does nothing.
func (t *times) add(text string) error {
	if t.err != nil {
		return nil
	}
	at, ok := instant.Parse(text)
	row := t.keys.Len() + 1
	if row == 1 {
		t.text, t.date = strings.Clone(text), at.Date
	}
	switch {
	case !ok:
		t.err = fmt.Errorf("column %q, row %d: %.40q is neither a number nor a date such as 2006-01-31, which "+
			"tells what comes first; write it so", t.column, row, text)
	case at.Date != t.date:
		t.err = fmt.Errorf("column %q, row %d: %.40q, and row 1 has %.40q: numbers and dates have no order; "+
			"write all as one of them", t.column, row, text, t.text)
	default:
		return t.keys.Add(at.Key())
	}
	return nil
}

// first returns the first k rows of the sample by their time, as their places in it. Rows of the same time stay
// together, in the part of the first of them.
func (t *times) first(k int) (*rowSet, error) {
	if t.err != nil {
		return nil, t.err
	}
	n, in := t.keys.Len(), func(int) bool { return true }
	if t.sample != nil {
		n, in = t.sample.size(), t.sample.has
	}
	rows, place := newRowSet(n), 0
	if k == 0 {
		return rows, nil
	}
	last, err := t.keys.Nth(k-1, in)
	if err != nil {
		return nil, err
	}
	return rows, t.keys.Each(func(row int, key stored.Key) error {
		if !in(row) {
			return nil
		}
		if key.Compare(last) <= 0 {
			rows.add(place)
		}
		place++
		return nil
	})
}

// close removes the file. Nil times have none.
func (t *times) close() {
	if t != nil {
		t.keys.Close()
	}
}
