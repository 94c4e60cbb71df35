package prepare

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/instant"
)

// timeOrder compares rows by a column of numbers or dates.
func timeOrder(column string, of []string) (func(a, b uint32) int, error) {
	at := make([]instant.Instant, len(of))
	for i, text := range of {
		var ok bool
		if at[i], ok = instant.Parse(text); !ok {
			return nil, fmt.Errorf("column %q, row %d: %.40q is neither a number nor a date such as 2006-01-31, which "+
				"tells what comes first; write it so", column, i+1, text)
		}
		if at[i].Date != at[0].Date {
			return nil, fmt.Errorf("column %q, row %d: %.40q, and row 1 has %.40q: numbers and dates have no order; "+
				"write all as one of them", column, i+1, text, of[0])
		}
	}
	return func(a, b uint32) int { return at[a].Compare(at[b]) }, nil
}
