package source

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// RowError is an error of a single row, after which reading may go on with the next one: a line with too few fields,
// for example. Its text names file, row and column.
type RowError struct {
	Err error
	// Ragged: the row has another number of values than there are columns.
	Ragged bool
}

func (e *RowError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *RowError) Unwrap() error { return e.Err }

// raggedError is an error of a row with another number of values than there are columns.
type raggedError struct{ error }

func (e *raggedError) Unwrap() error { return e.error }

// isRagged says whether there is such an error.
func isRagged(err error) bool {
	var ragged *raggedError
	return errors.As(err, &ragged)
}

// BadRows decides what becomes of rows that cannot be read, or that a pipeline refuses, and counts those that are
// skipped. The zero value refuses the first one.
type BadRows struct {
	// Limit is how many rows may be skipped.
	Limit int
	// Ragged: rows with another number of values than there are columns are skipped, however many there are.
	Ragged bool
	// Skipped is how many were.
	Skipped int
	// First are the errors of the first ones.
	First []error
}

// firstBadRows is how many errors a notice names.
const firstBadRows = 3

// ParseBadRows reads a policy: "fail", "ragged" to skip rows with another number of values than there are columns, or
// "skip:N" for up to N rows.
func ParseBadRows(text string) (*BadRows, error) {
	switch text {
	case "fail":
		return &BadRows{}, nil
	case "ragged":
		return &BadRows{Ragged: true}, nil
	}
	if count, ok := strings.CutPrefix(text, "skip:"); ok {
		if n, err := strconv.Atoi(count); err == nil && n > 0 {
			return &BadRows{Limit: n}, nil
		}
	}
	return nil, specf("%q: fail, ragged, or skip:N for up to N rows, should be here", text)
}

// Allow counts a row with an error, and says whether to go on: nil if so, and otherwise the error. Errors that are no
// RowError it gives back.
func (b *BadRows) Allow(err error) error {
	var row *RowError
	if !errors.As(err, &row) {
		return err
	}
	if b.Skipped >= b.Limit && !(b.Ragged && row.Ragged) {
		if b.Limit > 0 {
			return fmt.Errorf("%w; --bad-rows skip:%d allows no more", err, b.Limit)
		}
		return err
	}
	b.Skipped++
	if len(b.First) < firstBadRows {
		b.First = append(b.First, row.Err)
	}
	return nil
}

// Count adds rows that were skipped elsewhere, and the errors of the first ones.
func (b *BadRows) Count(skipped int, first []string) {
	b.Skipped += skipped
	for _, text := range first[:min(len(first), firstBadRows-min(len(b.First), firstBadRows))] {
		b.First = append(b.First, errors.New(text))
	}
}

// Notice says how many rows were skipped, and why the first ones; nothing if there were none.
func (b *BadRows) Notice() string {
	if b.Skipped == 0 {
		return ""
	}
	texts := make([]string, len(b.First))
	for i, err := range b.First {
		texts[i] = err.Error()
	}
	rows, more := "1 row was", ""
	if b.Skipped > 1 {
		rows = fmt.Sprintf("%d rows were", b.Skipped)
	}
	if b.Skipped > len(b.First) {
		more = "; …"
	}
	return fmt.Sprintf("%s skipped: %s%s", rows, strings.Join(texts, "; "), more)
}
