package prepare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestFolds: each row is held out once, folds have about the same size, and stratification and groups are respected.
func TestFolds(t *testing.T) {
	const n = 103
	labels, groups := make([]string, n), make([]string, n)
	for i := range n {
		labels[i], groups[i] = fmt.Sprint("c", i%3), fmt.Sprint("g", i%17)
	}
	for _, text := range []string{"2", "5", "10:stratified", "4:group=g"} {
		s, err := ParseFolds(text)
		if err != nil || s.String() != text {
			t.Fatalf("%s: %v, error %v", text, s, err)
		}
		for seed := range int64(5) {
			of := map[By]*texts{Stratified: textsOf(labels), ByGroup: textsOf(groups)}[s.By]
			times := make([]int, n)
			for s.Fold = range s.Folds {
				in, out, err := s.rowsOf(t.Context(), n, of, nil, seed)
				if err != nil || in.size()+out.size() != n {
					t.Fatalf("%s: %d and %d rows, error %v", text, in.size(), out.size(), err)
				}
				train, held := slices.Collect(in.all), slices.Collect(out.all)
				slack := 1
				if s.By == ByGroup {
					slack = n/17 + 1
				}
				if d := len(held) - n/s.Folds; d < -slack || d > slack {
					t.Errorf("%s: fold %d has %d rows", text, s.Fold, len(held))
				}
				for _, i := range held {
					times[i]++
					if s.By == ByGroup && slices.ContainsFunc(train, func(k int) bool { return groups[k] == groups[i] }) {
						t.Fatalf("%s: group %s is in two parts", text, groups[i])
					}
				}
				if s.By != Stratified {
					continue
				}
				count := map[string]int{}
				for _, i := range held {
					count[labels[i]]++
				}
				for label, k := range count {
					if k < 3 || k > 4 {
						t.Errorf("%s: fold %d has %d rows of %s", text, s.Fold, k, label)
					}
				}
			}
			if slices.ContainsFunc(times, func(k int) bool { return k != 1 }) {
				t.Errorf("%s: rows are held out %v times", text, times)
			}
		}
	}
}

// TestFoldMistakes: senseless settings are refused.
func TestFoldMistakes(t *testing.T) {
	for _, text := range []string{"", "1", "0.8", "x", "-3", "5:", "5:time=t", "5:group", "5:group=", "5:stratified=x"} {
		if s, err := ParseFolds(text); err == nil {
			t.Errorf("%q is read as %+v", text, s)
		}
	}
	few := textsOf([]string{"a", "a", "b"})
	for want, c := range map[string]struct {
		s  Split
		of *texts
	}{
		"there are 3 rows for 4 folds":        {Split{Folds: 4}, nil},
		`column "g" has 2 groups for 3 folds`: {Split{Folds: 3, By: ByGroup, Column: "g"}, few},
	} {
		if _, _, err := c.s.rowsOf(t.Context(), 3, c.of, nil, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
	if err := (Split{Folds: 2}).checkStratified(few); err == nil || !strings.Contains(err.Error(), `"b" has 1 rows`) {
		t.Error(err)
	}
	if (Split{Folds: 2}).fewValues(few) || !(Split{Folds: 2}).fewValues(textsOf([]string{"a", "b", "b", "a"})) {
		t.Error("labels are taken for few values where they are many")
	}
}
