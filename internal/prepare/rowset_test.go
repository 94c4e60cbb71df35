package prepare

import (
	"slices"
	"testing"
)

// TestRowSet: a set has the rows that were put in, in order, and no others.
func TestRowSet(t *testing.T) {
	rows := []int{130, 0, 63, 64, 127}
	s := newRowSet(131)
	for _, row := range rows {
		s.add(row)
	}
	slices.Sort(rows)
	if got := slices.Collect(s.all); !slices.Equal(got, rows) || s.size() != len(rows) {
		t.Errorf("%d rows, %v", s.size(), got)
	}
	others := s.others(131)
	for row := range 300 {
		want := slices.Contains(rows, row)
		if s.has(row) != want || others.has(row) != (!want && row < 131) {
			t.Errorf("row %d: %v, the others: %v", row, s.has(row), others.has(row))
		}
	}
	if others.size() != 131-len(rows) || newRowSet(128).others(128).size() != 128 {
		t.Errorf("there are %d other rows", others.size())
	}
	places := newRowSet(len(rows))
	places.add(1)
	places.add(4)
	if got := slices.Collect(places.of(s).all); !slices.Equal(got, []int{63, 130}) {
		t.Errorf("the second and the fifth row are %v", got)
	}
	if none := (*rowSet)(nil); none.has(0) || none.size() != 0 {
		t.Error("a nil set has rows")
	}
}
