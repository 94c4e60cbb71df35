package prepare

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
)

// elsewhere is a table whose single examples can't be read.
type elsewhere struct{ table source.Table }

func (e elsewhere) Info() source.Info                      { return e.table.Info() }
func (e elsewhere) Objects() int                           { return 1 }
func (e elsewhere) Object(int) (*data.MultiDataSet, error) { return nil, errors.New("it is not here") }
func (e elsewhere) Subset(name string, at []int) source.Source {
	return source.Subset(e.table, name, at)
}
func (e elsewhere) ClassNumbers() ([]int, error) {
	var all []int
	err := classNumbers(e.table, func(class int) { all = append(all, class) })
	return all, err
}

// TestPart splits the digits as a table of their labels would be split. All examples are in one part; with
// stratification, each part has its share of each class; and the same seed makes the same parts.
func TestPart(t *testing.T) {
	n := source.Name{Kind: "digits"}
	s, err := source.OpenName(t.Context(), n, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := s.Objects()
	for _, c := range []struct {
		split  Split
		sample int
		train  int // -1: not checked
	}{{Split{Share: 0.75}, 0, 1348}, {Split{Share: 0.75, By: Stratified}, 0, -1}, {Split{}, 100, 100},
		{Split{Folds: 5, Fold: 2}, 0, -1}, {Split{Share: 0.5}, 200, 100}} {
		train, held, err := Part(t.Context(), s, n, c.split, c.sample, 7)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Part(t.Context(), s, n, c.split, c.sample, 7)
		if err != nil {
			t.Fatal(err)
		}
		of := examplesOf(t, train)
		there, _, err := Part(t.Context(), elsewhere{s.(source.Table)}, n, c.split, c.sample, 7)
		if err != nil || !slices.Equal(of, examplesOf(t, there)) {
			t.Errorf("%+v: other examples of data that is not in this process: %v", c.split, err)
		}
		if !slices.Equal(of, examplesOf(t, again)) {
			t.Errorf("%+v: other examples with the same seed", c.split)
		}
		if c.train >= 0 && train.Objects() != c.train || train.Objects() != train.Info().Examples {
			t.Errorf("%+v: %d examples to train on", c.split, train.Objects())
		}
		if c.split.none() {
			if held != nil {
				t.Errorf("%+v: examples are held out", c.split)
			}
			continue
		}
		if c.sample == 0 && train.Objects()+held.Objects() != all {
			t.Errorf("%+v: %d and %d of %d examples", c.split, train.Objects(), held.Objects(), all)
		}
		if c.split.By == Stratified || c.split.Folds > 0 {
			share := float64(train.Objects()) / float64(all)
			sameShares(t, s, train, share)
		}
	}
	for _, c := range []struct {
		split Split
		want  string
	}{{Split{Share: 0.8, By: ByGroup, Column: "g"}, "the split 0.8:group=g: digits:: the data has no columns to go by"},
		{Split{Share: 0.8, By: ByTime, Column: "g"}, "no columns to go by"}} {
		if _, _, err := Part(t.Context(), s, n, c.split, 0, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.split, err)
		}
	}
}

// sameShares checks that a part has this share of each class, up to one example.
func sameShares(t *testing.T, all, part source.Source, share float64) {
	t.Helper()
	count := func(s source.Source) map[string]int {
		classes, err := classesOf(s)
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for row := range classes.rows() {
			n[classes.get(row)]++
		}
		return n
	}
	has := count(part)
	for class, n := range count(all) {
		if d := float64(has[class]) - share*float64(n); d < -1.5 || d > 1.5 {
			t.Errorf("class %s: %d of %d examples", class, has[class], n)
		}
	}
}
