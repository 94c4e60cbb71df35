package prepare

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/instant"
	"github.com/dl4go/dl4go/internal/random"
)

// naiveSplit returns the rows to train on, by lists of rows.
func naiveSplit(s Split, of []string, seed int64) (train []int) {
	var order []string // of groups
	groups := map[string][]int{}
	for row, text := range of {
		if groups[text] == nil {
			order = append(order, text)
		}
		groups[text] = append(groups[text], row)
	}
	n := len(of)
	all := random.Permutation(uint64(seed), n)
	switch {
	case s.Folds > 0 && s.By == ByChance:
		for i, row := range all {
			if i%s.Folds != s.Fold {
				train = append(train, row)
			}
		}
	case s.Folds > 0 && s.By == Stratified:
		dealt := 0
		for i, text := range order {
			for _, at := range random.Permutation(random.Mix(uint64(seed), uint64(i)), len(groups[text])) {
				if dealt%s.Folds != s.Fold {
					train = append(train, groups[text][at])
				}
				dealt++
			}
		}
	case s.Folds > 0:
		sizes := make([]int, s.Folds)
		for _, k := range random.Permutation(uint64(seed), len(order)) {
			rows := groups[order[k]]
			fold := slices.Index(sizes, slices.Min(sizes))
			sizes[fold] += len(rows)
			if fold != s.Fold {
				train = append(train, rows...)
			}
		}
	case s.By == Stratified:
		for i, text := range order {
			rows := groups[text]
			k := min(max(s.count(len(rows)), 1), len(rows)-1)
			for _, at := range random.Permutation(random.Mix(uint64(seed), uint64(i)), len(rows))[:k] {
				train = append(train, rows[at])
			}
		}
	case s.By == ByTime:
		at := func(row int) instant.Instant {
			i, _ := instant.Parse(of[row])
			return i
		}
		slices.Sort(all)
		slices.SortStableFunc(all, func(a, b int) int { return at(a).Compare(at(b)) })
		k := s.count(n)
		for k > 0 && k < n && at(all[k-1]).Compare(at(all[k])) == 0 {
			k++
		}
		train = all[:k]
	case s.By == ByGroup:
		held := 0
		for k, g := range random.Permutation(uint64(seed), len(order)) {
			rows := groups[order[g]]
			last := k == len(order)-1 && held == 0
			if !last && (len(train) == 0 || len(train)+len(rows)/2 < s.count(n)) {
				train = append(train, rows...)
			} else {
				held += len(rows)
			}
		}
	default:
		train = all[:s.count(n)]
	}
	slices.Sort(train)
	return train
}

// TestSplitsAsLists: every way to split gives the rows that lists of rows give.
func TestSplitsAsLists(t *testing.T) {
	const n = 700
	r := rand.New(rand.NewPCG(3, 4))
	for _, distinct := range []int{2, 9, 100} {
		texts, dates := make([]string, n), make([]string, n)
		for i := range n {
			texts[i] = fmt.Sprint(r.IntN(distinct) / 2)
			dates[i] = fmt.Sprintf("2026-01-01 10:%02d:%02d", r.IntN(distinct)/60, r.IntN(60))
		}
		for _, s := range []Split{{Share: 0.8}, {Share: 0.3, By: Stratified}, {Share: 0.7, By: ByGroup},
			{Share: 0.6, By: ByTime}, {Folds: 4, Fold: 3}, {Folds: 3, Fold: 1, By: Stratified},
			{Folds: 2, By: ByGroup}} {
			of, when := texts, (*times)(nil)
			if s.By == ByTime {
				of, when = dates, timesOf(t, dates)
			}
			for seed := range int64(3) {
				want := naiveSplit(s, of, seed)
				column := textsOf(of)
				if s.By == ByChance {
					column = nil
				}
				train, held, err := s.rowsOf(t.Context(), n, column, when, seed)
				if distinct == 2 && s.By == ByGroup {
					continue // there is one group
				}
				if err != nil || !slices.Equal(slices.Collect(train.all), want) || train.size()+held.size() != n {
					t.Errorf("%v, %d texts, seed %d: %v: %d rows, want %d", s, distinct, seed, err, train.size(), len(want))
				}
			}
		}
	}
}

// timesOf returns the times of a list.
func timesOf(t *testing.T, list []string) *times {
	t.Helper()
	when := newTimes("when")
	t.Cleanup(when.close)
	for _, text := range list {
		if err := when.add(text); err != nil {
			t.Fatal(err)
		}
	}
	return when
}
