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
func (s Split) foldOf(n int, of []string, seed int64) ([]int, error) {
	if n < s.Folds {
		return nil, fmt.Errorf("there are %d rows for %d folds; ask for fewer folds", n, s.Folds)
	}
	fold := make([]int, n)
	if of == nil {
		for i, at := range random.Permutation(uint64(seed), n) {
			fold[at] = i % s.Folds
		}
		return fold, nil
	}
	rows, names := groups(of)
	if s.By == ByGroup {
		if len(names) < s.Folds {
			return nil, fmt.Errorf("column %q has %d groups for %d folds; ask for fewer folds", s.Column, len(names), s.Folds)
		}
		sizes := make([]int, s.Folds)
		for _, at := range random.Permutation(uint64(seed), len(names)) {
			least := 0
			for k, size := range sizes {
				if size < sizes[least] {
					least = k
				}
			}
			for _, row := range rows[names[at]] {
				fold[row] = least
			}
			sizes[least] += len(rows[names[at]])
		}
		return fold, nil
	}
	next := 0
	for i, name := range names {
		of := rows[name]
		for _, at := range random.Permutation(random.Mix(uint64(seed), uint64(i)), len(of)) {
			fold[of[at]] = next % s.Folds
			next++
		}
	}
	return fold, nil
}

// byFold holds the rows of one fold out.
func (s Split) byFold(n int, of []string, seed int64) (train, held []int, err error) {
	folds, err := s.foldOf(n, of, seed)
	for i, fold := range folds {
		if fold == s.Fold {
			held = append(held, i)
		} else {
			train = append(train, i)
		}
	}
	return train, held, err
}

// checkStratified refuses a class that some fold would not have.
func (s Split) checkStratified(class []string) error {
	rows, names := groups(class)
	for _, name := range names {
		if len(rows[name]) < s.Folds {
			return fmt.Errorf("the class %q has %d rows for %d folds; ask for fewer folds, leave the class out, or ask for "+
				"%d without stratified", name, len(rows[name]), s.Folds, s.Folds)
		}
	}
	return nil
}

// fewValues reports whether a label has so few values that each is in all folds, on average.
func (s Split) fewValues(label []string) bool {
	_, names := groups(label)
	return len(names)*s.Folds <= len(label)
}
