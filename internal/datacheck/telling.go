package datacheck

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/data/source"
)

// The limits of the search for a column that tells the label.
const (
	mostColumns   = 200
	leastRows     = 100
	leastOfAClass = 20
)

// telling returns the name of a column of features that alone tells the label. Of classes, each then has its own range
// of the column's values, or its own column. Numbers then rise or fall with the column.
func telling(rows []row, info source.Info) string {
	if len(rows) < leastRows || len(info.Features) != 1 || len(info.Features[0]) != 1 {
		return ""
	}
	columns := len(rows[0].features)
	if columns < 2 || columns > mostColumns || info.Classes == 0 && len(rows[0].labels) != 1 {
		return ""
	}
	tells, found := separates, newApart(rows)
	if info.Classes == 0 {
		tells = monotonic
	} else if found == nil {
		return ""
	}
	for k := range columns {
		slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.features[k], b.features[k]) })
		if tells(rows, k) {
			return nameOf(names(info, true), k)
		}
		if info.Classes > 2 && found.add(rows, k) {
			return nameOf(names(info, true), found.first)
		}
	}
	return ""
}

// nameOf returns the name of a column, or its number from 0.
func nameOf(names []string, k int) string {
	if k < len(names) {
		return names[k]
	}
	return strconv.Itoa(k)
}

// separates reports whether each class has a range of its own of column k's values, by which the rows are sorted.
func separates(rows []row, k int) bool {
	seen := map[int]bool{rows[0].class(): true}
	for i := range rows[1:] {
		was, is := rows[i].class(), rows[i+1].class()
		if was == is {
			continue
		}
		if seen[is] || rows[i].features[k] == rows[i+1].features[k] {
			return false
		}
		seen[is] = true
	}
	return len(seen) > 1
}

// monotonic reports whether the number to predict rises or falls with column k, by which the rows are sorted. Most of
// both must be different values.
func monotonic(rows []row, k int) bool {
	up, down, steps := true, true, 0
	for i := range rows[1:] {
		x := cmp.Compare(rows[i+1].features[k], rows[i].features[k])
		y := cmp.Compare(rows[i+1].labels[0], rows[i].labels[0])
		if x == 0 && y != 0 || x != 0 && y == 0 {
			return false
		}
		up, down = up && y >= 0, down && y <= 0
		if x != 0 {
			steps++
		}
	}
	return (up || down) && steps > len(rows)/2
}

// apart finds out whether each class has a column of its own, as the numbers of classes written as 0 and 1 have.
type apart struct {
	counts map[int]int // examples of each class
	told   map[int]bool
	first  int // the first column that tells one
}

// newApart returns nil if there are too few classes, or too few examples of one.
func newApart(rows []row) *apart {
	a := &apart{counts: map[int]int{}, told: map[int]bool{}, first: -1}
	for _, r := range rows {
		a.counts[r.class()]++
	}
	for _, n := range a.counts {
		if n < leastOfAClass {
			return nil
		}
	}
	if len(a.counts) < 2 {
		return nil
	}
	return a
}

// add takes over column k, by which the rows are sorted. It reports whether all classes are told by now.
func (a *apart) add(rows []row, k int) bool {
	class := rows[len(rows)-1].class()
	from := len(rows) - a.counts[class]
	for _, r := range rows[from:] {
		if r.class() != class {
			return false
		}
	}
	if from > 0 && rows[from-1].features[k] == rows[from].features[k] {
		return false
	}
	if a.told[class] = true; a.first < 0 {
		a.first = k
	}
	return len(a.told) == len(a.counts)
}
