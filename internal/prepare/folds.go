package prepare

import (
	"context"
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

// byFold returns the rows of all folds but one. of has the label of each row, or with ByGroup its group; nil means that
// rows are dealt only randomly. Rows of the same label are dealt in turn, so that each fold has about the same number
// of them. A group goes to the fold with the fewest rows.
func (s Split) byFold(ctx context.Context, n int, of *texts, seed int64) (*rowSet, error) {
	switch {
	case n < s.Folds:
		return nil, fmt.Errorf("there are %d rows for %d folds; ask for fewer folds", n, s.Folds)
	case of == nil:
		rows := newRowSet(n)
		return rows, permute(ctx, uint64(seed), n, n, func(place, row int) error {
			if place%s.Folds != s.Fold {
				rows.add(row)
			}
			return nil
		})
	case s.By == ByGroup:
		return s.foldGroups(of, seed)
	}
	return byClass(ctx, of, seed, func(_ group, _, ofAll int) bool { return ofAll%s.Folds != s.Fold })
}

// foldGroups deals the groups.
func (s Split) foldGroups(of *texts, seed int64) (*rowSet, error) {
	groups, groupOf := of.groups()
	if len(groups) < s.Folds {
		return nil, fmt.Errorf("column %q has %d groups for %d folds; ask for fewer folds", s.Column, len(groups), s.Folds)
	}
	sizes, fold := make([]int, s.Folds), make([]int, len(groups))
	for _, at := range random.Permutation(uint64(seed), len(groups)) {
		least := 0
		for k, size := range sizes {
			if size < sizes[least] {
				least = k
			}
		}
		fold[at] = least
		sizes[least] += groups[at].rows
	}
	return inGroups(of, groupOf, func(group int) bool { return fold[group] != s.Fold }), nil
}

// checkStratified refuses a class that some fold would not have.
func (s Split) checkStratified(class *texts) error {
	groups, _ := class.groups()
	for _, g := range groups {
		if g.rows < s.Folds {
			return fmt.Errorf("the class %q has %d rows for %d folds; ask for fewer folds, leave the class out, or ask for "+
				"%d without stratified", class.get(g.first), g.rows, s.Folds, s.Folds)
		}
	}
	return nil
}

// fewValues reports whether a label has so few values that each is in all folds, on average.
func (s Split) fewValues(label *texts) bool {
	groups, _ := label.groups()
	return len(groups)*s.Folds <= label.rows()
}
