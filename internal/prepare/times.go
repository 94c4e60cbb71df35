package prepare

import (
	"cmp"
	"fmt"
	"strconv"
	"time"
)

// layouts are those of dates whose order is plain.
var layouts = []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"2006/01/02", "2006-01", "02.01.2006"}

// timeOrder compares rows by a column of numbers or dates.
func timeOrder(column string, of []string) (func(a, b int) int, error) {
	at := make([]float64, len(of))
	for i, text := range of {
		x, ok := instant(text)
		if !ok {
			return nil, fmt.Errorf("column %q, row %d: %.40q is neither a number nor a date such as 2006-01-31, which "+
				"tells what comes first; write it so", column, i+1, text)
		}
		at[i] = x
	}
	return func(a, b int) int { return cmp.Compare(at[a], at[b]) }, nil
}

func instant(text string) (float64, bool) {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == x {
		return x, true
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return float64(t.UnixNano()) / 1e9, true
		}
	}
	return 0, false
}
