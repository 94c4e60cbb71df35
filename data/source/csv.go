package source

import (
	"context"
	"fmt"
)

// maxClasses limits the number of classes found in a file. With more, the labels are probably no classes.
const maxClasses = 10_000

// maxNumbers limits how many different numbers are taken as classes without a setting. More of them may be a quantity;
// only the user can tell.
const maxNumbers = 100

// OpenCSV reads a CSV file, a directory of CSV files, or the files that match a pattern, into memory. The features are
// [columns]. The labels are [classes], one-hot, or, for regression, the numbers [label columns]. Errors name the file,
// line and column (in characters) of the field.
func OpenCSV(ctx context.Context, path string, o CSV) (Table, error) {
	t, err := openCSV(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return t, nil
}

func openCSV(ctx context.Context, path string, o CSV) (*table, error) {
	r := newCSVReader(path, o.asKnown(), false)
	defer r.close()
	if err := r.open(ctx, path); err != nil {
		return nil, err
	}
	if err := r.readAll(); err != nil {
		return nil, err
	}
	return r.table()
}

// store stores all rows of a place on disk.
func (r *csvReader) store(ctx context.Context, n Name, room *Room) (Source, error) {
	defer r.close()
	if err := r.open(ctx, n.Place); err != nil {
		return nil, err
	}
	return room.storeGathered(&r.gathered, r.some, n.String())
}

// CSVError is an error in a CSV file, with its position.
type CSVError struct {
	Path         string
	Line, Column int // counted from 1; 0 if the problem has no position
	Problem      string
	// Raw reports that the position has a text or a gap where the data has a number. Only a pipeline makes numbers of it.
	Raw bool
}

func (e *CSVError) Error() string {
	if e.Line == 0 {
		return e.Path + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.Path, e.Line, e.Column, e.Problem)
}
