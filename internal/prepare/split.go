package prepare

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/internal/stored"
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

// rowsOf splits n rows. of has the class of each row if the split is Stratified, or the value of its column; when has
// the column of ByTime. A row takes two bits of memory. Random orders are computed in files if there are many rows.
func (s Split) rowsOf(ctx context.Context, n int, of *texts, when *times, seed int64) (train, held *rowSet, err error) {
	switch {
	case s.Folds > 0:
		train, err = s.byFold(ctx, n, of, seed)
	case s.By == Stratified:
		train, err = s.stratified(ctx, of, seed)
	case s.By == ByTime:
		train, err = when.first(s.count(n))
	case s.By == ByGroup:
		train, err = s.byGroup(of, seed)
	default:
		train, err = drawn(ctx, uint64(seed), n, s.count(n))
	}
	if err != nil {
		return nil, nil, err
	}
	if train.size() == 0 || train.size() == n {
		return nil, nil, fmt.Errorf("with %s, one part gets none; choose another share", progress.Plural(n, "row"))
	}
	return train, train.others(n), nil
}

// count returns how many of n rows are training rows.
func (s Split) count(n int) int { return int(math.Round(s.Share * float64(n))) }

// drawn returns the first k rows of random.Permutation, of n.
func drawn(ctx context.Context, seed uint64, n, k int) (*rowSet, error) {
	rows := newRowSet(n)
	return rows, permute(ctx, seed, n, k, func(_, row int) error {
		rows.add(row)
		return nil
	})
}

// permute calls each with the first k places of random.Permutation of n rows, and with the row there.
func permute(ctx context.Context, seed uint64, n, k int, each func(place, row int) error) error {
	order := stored.Permutation{Seed: &seed, Rows: n, Pieces: []stored.Piece{{From: 0, To: k}}}
	return order.Each(ctx, os.TempDir(), each)
}

// stratified takes the share of each class.
func (s Split) stratified(ctx context.Context, class *texts, seed int64) (*rowSet, error) {
	groups, _ := class.groups()
	for _, g := range groups {
		if g.rows < 2 {
			return nil, fmt.Errorf("the class %q has one row, row %d: a stratified split needs two of each; "+
				"leave the row out, or use the split %v", class.get(g.first), g.first+1, Split{Share: s.Share})
		}
	}
	return byClass(ctx, class, seed, func(of group, place, _ int) bool {
		return place < min(max(s.count(of.rows), 1), of.rows-1)
	})
}

// byClass puts the rows of each class in a random order, the classes in the order of their first rows. It returns the
// rows that are chosen by their place among those of their class, and among all.
func byClass(ctx context.Context, class *texts, seed int64, choose func(of group, place, ofAll int) bool) (*rowSet,
	error) {
	groups, groupOf := class.groups()
	// The rows of a class are at next to next+rows−1 of chosen, in their own order.
	chosen, next, start := newRowSet(class.rows()), make([]int, len(groups)), 0
	for i, g := range groups {
		next[i] = start
		err := permute(ctx, random.Mix(uint64(seed), uint64(i)), g.rows, g.rows, func(place, at int) error {
			if choose(g, place, start+place) {
				chosen.add(start + at)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		start += g.rows
	}
	rows := newRowSet(class.rows())
	for row := range class.rows() {
		at := &next[groupOf[class.number(row)]]
		if chosen.has(*at) {
			rows.add(row)
		}
		*at++
	}
	return rows, nil
}

// byGroup takes groups by chance until the share is reached.
func (s Split) byGroup(of *texts, seed int64) (*rowSet, error) {
	groups, groupOf := of.groups()
	if len(groups) < 2 {
		return nil, fmt.Errorf("column %q has one group, %q; a part would have no rows", s.Column, of.get(0))
	}
	want, n, held := s.count(of.rows()), 0, false
	trained := make([]bool, len(groups))
	for k, at := range random.Permutation(uint64(seed), len(groups)) {
		rows := groups[at].rows
		last := k == len(groups)-1 && !held
		if !last && (n == 0 || n+rows/2 < want) {
			trained[at] = true
			n += rows
		} else {
			held = true
		}
	}
	return inGroups(of, groupOf, func(group int) bool { return trained[group] }), nil
}

// inGroups returns the rows of some groups.
func inGroups(of *texts, groupOf []int, some func(group int) bool) *rowSet {
	rows := newRowSet(of.rows())
	for row := range of.rows() {
		if some(groupOf[of.number(row)]) {
			rows.add(row)
		}
	}
	return rows
}
