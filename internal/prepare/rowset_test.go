package prepare

import (
	"slices"
	"testing"
)

// TestRowSet: a set has the rows that were put in, in order, and no others.
func TestRowSet(t *testing.T) {
	rows := []uint32{130, 0, 63, 64, 127}
	s := setOf(131, slices.Values(rows))
	slices.Sort(rows)
	var got []uint32
	for row := range s.all {
		got = append(got, uint32(row))
	}
	if !slices.Equal(got, rows) || s.size() != len(rows) {
		t.Errorf("%d rows, %v", s.size(), got)
	}
	for row := range 300 {
		if want := slices.Contains(rows, uint32(row)); s.has(row) != want {
			t.Errorf("row %d: %v", row, !want)
		}
	}
	if none := (*rowSet)(nil); none.has(0) || none.size() != 0 {
		t.Error("a nil set has rows")
	}
}
