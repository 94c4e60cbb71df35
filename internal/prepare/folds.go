package prepare

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/random"
)

// ParseFolds reads a number of folds for cross-validation, alone or with a way to make them: 5, 5:stratified,
// 5:group=COLUMN. Without a way, rows are stratified by the label where it has few values.
func ParseFolds(text string) (s Split, err error) {
	const want = "a number of folds, 2 or more, should be here, such as 5, 5:stratified or 5:group=COLUMN"
	number, way, some := strings.Cut(text, ":")
	name, column, of := strings.Cut(way, "=")
	s = Split{By: By(name), Column: column}
	s.Folds, err = strconv.Atoi(number)
	known := !some || s.By == Stratified && !of || s.By == ByGroup && column != ""
	if err != nil || s.Folds < 2 || !known {
		return Split{}, fmt.Errorf("%q: %s", text, want)
	}
	return s, nil
}

// title is the subject of errors about the split.
func (s Split) title() string {
	if s.Folds > 0 {
		return "the folds " + s.String()
	}
	return "the split " + s.String()
}

// foldOf returns the fold of each of n rows, from 0. of has the label of each row, or with ByGroup its group; nil
// means that rows are dealt only randomly. Rows of the same label are dealt in turn, so that each fold has about the
// same number of them. A group goes to the fold with the fewest rows.
func (s Split) foldOf(n int, of *texts, seed int64) ([]uint32, error) {
	if n < s.Folds {
		return nil, fmt.Errorf("there are %d rows for %d folds; ask for fewer folds", n, s.Folds)
	}
	fold := make([]uint32, n)
	if of == nil {
		for i, at := range permutation(uint64(seed), n) {
			fold[at] = uint32(i % s.Folds)
		}
		return fold, nil
	}
	groups := of.groups()
	if s.By == ByGroup {
		return fold, s.foldGroups(fold, groups, seed)
	}
	next := 0
	for i, of := range groups {
		for _, at := range permutation(random.Mix(uint64(seed), uint64(i)), len(of)) {
			fold[of[at]] = uint32(next % s.Folds)
			next++
		}
	}
	return fold, nil
}

// foldGroups sets the fold of each row, a group at a time.
func (s Split) foldGroups(fold []uint32, groups [][]uint32, seed int64) error {
	if len(groups) < s.Folds {
		return fmt.Errorf("column %q has %d groups for %d folds; ask for fewer folds", s.Column, len(groups), s.Folds)
	}
	sizes := make([]int, s.Folds)
	for _, at := range random.Permutation(uint64(seed), len(groups)) {
		least := 0
		for k, size := range sizes {
			if size < sizes[least] {
				least = k
			}
		}
		for _, row := range groups[at] {
			fold[row] = uint32(least)
		}
		sizes[least] += len(groups[at])
	}
	return nil
}

// byFold holds the rows of one fold out.
func (s Split) byFold(n int, of *texts, seed int64) (train, held []uint32, err error) {
	folds, err := s.foldOf(n, of, seed)
	for i, fold := range folds {
		if int(fold) == s.Fold {
			held = append(held, uint32(i))
		}
	}
	train = folds[:0] // row i is written after the fold of row i was read
	for i, fold := range folds {
		if int(fold) != s.Fold {
			train = append(train, uint32(i))
		}
	}
	return train, held, err
}

// checkStratified refuses a class that some fold would not have.
func (s Split) checkStratified(class *texts) error {
	for _, rows := range class.groups() {
		if len(rows) < s.Folds {
			return fmt.Errorf("the class %q has %d rows for %d folds; ask for fewer folds, leave the class out, or ask for "+
				"%d without stratified", class.get(int(rows[0])), len(rows), s.Folds, s.Folds)
		}
	}
	return nil
}

// fewValues reports whether a label has so few values that each is in all folds, on average.
func (s Split) fewValues(label *texts) bool { return len(label.groups())*s.Folds <= label.rows() }
