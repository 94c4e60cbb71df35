package prepare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/random"
)

// Split says which rows are held out.
type Split struct {
	// Share is the share of the training rows. 0: no row is held out.
	Share float64
	// By is the way to choose rows; empty means randomly.
	By By
	// Column is that of ByTime and ByGroup.
	Column string
	// Folds, if not 0, splits the rows into this many folds for cross-validation, instead of Share. Fold is the one to
	// hold out, from 0.
	Folds, Fold int
}

// none says that no row is held out.
func (s Split) none() bool { return s.Share == 0 && s.Folds == 0 }

// By is a way to choose rows.
type By string

// The ways.
const (
	ByChance   By = ""
	Stratified By = "stratified" // random, with the same share of each class
	ByTime     By = "time"       // the last ones by a column
	ByGroup    By = "group"      // random, with all rows of a group or none
)

// ParseSplit reads a share, alone or with a way: 0.8, 0.8:stratified, 0.8:time=COLUMN, 0.8:group=COLUMN.
func ParseSplit(text string) (s Split, err error) {
	const want = "a share between 0 and 1 should be here, such as 0.8, 0.8:stratified, 0.8:time=COLUMN or 0.8:group=COLUMN"
	share, way, some := strings.Cut(text, ":")
	s.Share, err = strconv.ParseFloat(share, 64)
	if err != nil || !(s.Share > 0 && s.Share < 1) {
		return s, fmt.Errorf("%q: %s", text, want)
	}
	name, column, of := strings.Cut(way, "=")
	s.By, s.Column = By(name), column
	switch {
	case !some:
	case s.By == Stratified && !of, (s.By == ByTime || s.By == ByGroup) && column != "":
	default:
		return s, fmt.Errorf("%q: %s", text, want)
	}
	return s, nil
}

// String returns the text for ParseSplit.
func (s Split) String() string {
	text := strconv.FormatFloat(s.Share, 'g', -1, 64)
	if s.Folds > 0 {
		text = strconv.Itoa(s.Folds)
	}
	if s.By != ByChance {
		text += ":" + string(s.By)
	}
	if s.Column != "" {
		text += "=" + s.Column
	}
	return text
}

// rowsOf splits n rows. of has the class of each row if the split is Stratified, or the value of its column.
func (s Split) rowsOf(n int, of *texts, seed int64) (train, held []uint32, err error) {
	switch {
	case s.Folds > 0:
		train, held, err = s.byFold(n, of, seed)
	case s.By == Stratified:
		train, held, err = s.stratified(of, seed)
	case s.By == ByTime:
		train, held, err = s.byTime(of)
	case s.By == ByGroup:
		train, held, err = s.byGroup(of, seed)
	default:
		order := permutation(uint64(seed), n)
		k := s.count(n)
		train, held = order[:k], order[k:]
	}
	if err == nil && (len(train) == 0 || len(held) == 0) {
		err = fmt.Errorf("with %s, one part gets none; choose another share", progress.Plural(n, "row"))
	}
	slices.Sort(train)
	slices.Sort(held)
	return train, held, err
}

// count returns how many of n rows are training rows.
func (s Split) count(n int) int { return int(math.Round(s.Share * float64(n))) }

// permutation is random.Permutation with four bytes a row.
func permutation(seed uint64, n int) []uint32 {
	p := make([]uint32, n)
	random.Permute(seed, p)
	return p
}

// stratified takes the share of each class, in the classes' order of appearance.
func (s Split) stratified(class *texts, seed int64) (train, held []uint32, err error) {
	for i, of := range class.groups() {
		if len(of) < 2 {
			return nil, nil, fmt.Errorf("the class %q has one row, row %d: a stratified split needs two of each; "+
				"leave the row out, or use the split %v", class.get(int(of[0])), of[0]+1, Split{Share: s.Share})
		}
		k := min(max(s.count(len(of)), 1), len(of)-1)
		for j, at := range permutation(random.Mix(uint64(seed), uint64(i)), len(of)) {
			if j < k {
				train = append(train, of[at])
			} else {
				held = append(held, of[at])
			}
		}
	}
	return train, held, nil
}

// byGroup takes groups by chance until the share is reached.
func (s Split) byGroup(of *texts, seed int64) (train, held []uint32, err error) {
	groups := of.groups()
	if len(groups) < 2 {
		return nil, nil, fmt.Errorf("column %q has one group, %q; a part would have no rows", s.Column, of.get(0))
	}
	want := s.count(of.rows())
	for k, at := range random.Permutation(uint64(seed), len(groups)) {
		group := groups[at]
		last := k == len(groups)-1 && len(held) == 0
		if !last && (len(train) == 0 || len(train)+len(group)/2 < want) {
			train = append(train, group...)
		} else {
			held = append(held, group...)
		}
	}
	return train, held, nil
}

// byTime holds out the last rows. Rows of the same time stay together, in the part of the first of them.
func (s Split) byTime(of *texts) (train, held []uint32, err error) {
	less, err := timeOrder(s.Column, of.list())
	if err != nil {
		return nil, nil, err
	}
	order := make([]uint32, of.rows())
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortStableFunc(order, less)
	k := s.count(len(order))
	for k > 0 && k < len(order) && less(order[k-1], order[k]) == 0 {
		k++
	}
	return order[:k], order[k:], nil
}
