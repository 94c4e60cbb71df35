package dl4go_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dl4go/dl4go"
	"github.com/dl4go/dl4go/data"
)

// point is a value with a row of numbers, a class and targets.
type point struct {
	x, y  []float64
	class string
}

func row(p point) []float64    { return p.x }
func target(p point) []float64 { return p.y }
func class(p point) string     { return p.class }

// A table has the features in order, classes as one-hot rows, and names for both.
func TestTable(t *testing.T) {
	values := []point{{x: []float64{1, 2}, class: "b"}, {x: []float64{3, 4}, class: "a"}, {x: []float64{5, 6}, class: "b"}}
	s, err := dl4go.Table[point]{Features: row, Class: class, Columns: []string{"u", "v"}}.Data(values)
	if err != nil {
		t.Fatal(err)
	}
	m := s.Range(0, 3)
	if x := m.Features[0].Data; !slices.Equal(x, []float32{1, 2, 3, 4, 5, 6}) {
		t.Errorf("features %v", x)
	}
	if y := m.Labels[0].Data; !slices.Equal(y, []float32{0, 1, 1, 0, 0, 1}) {
		t.Errorf("labels %v", y)
	}
	i := s.Info()
	if i.Classes != 2 || !slices.Equal(i.LabelNames, []string{"a", "b"}) ||
		!slices.Equal(i.Schema.Features, []string{"u", "v"}) || i.Examples != 3 {
		t.Errorf("info %+v", i)
	}
}

// Targets that look like classes are numbers, a shape makes images, and without Class and Target there are no labels.
func TestTableOfNumbers(t *testing.T) {
	values := []point{{x: []float64{1, 2, 3, 4}, y: []float64{0, 1}}, {x: []float64{5, 6, 7, 8}, y: []float64{1, 0}}}
	s, err := dl4go.Table[point]{Features: row, Target: target, Targets: []string{"p", "q"},
		Shape: []int{1, 2, 2}}.Data(values)
	if err != nil {
		t.Fatal(err)
	}
	if i := s.Info(); i.Classes != 0 || i.Image == nil || i.Image.Height != 2 ||
		!slices.Equal(i.Schema.Labels, []string{"p", "q"}) {
		t.Errorf("info %+v", i)
	}
	if s, err = (dl4go.Table[point]{Features: row}).Data(values); err != nil || s.Info().Labels != nil {
		t.Errorf("without labels: %v, %v", s, err)
	}
}

// Names that are numbers are in numeric order.
func TestTableNumericClasses(t *testing.T) {
	var values []point
	for _, name := range []string{"10", "9", "-1", "10", "2.5"} {
		values = append(values, point{x: []float64{1}, class: name})
	}
	s, err := dl4go.Table[point]{Features: row, Class: class}.Data(values)
	if err != nil || !slices.Equal(s.Info().LabelNames, []string{"-1", "2.5", "9", "10"}) {
		t.Errorf("classes %v, %v", s.Info().LabelNames, err)
	}
}

// Each mistake names the example, and the remedy.
func TestTableRefuses(t *testing.T) {
	good := point{x: []float64{1, 2}, y: []float64{3}, class: "a"}
	nan, huge := point{x: []float64{1, math.NaN()}}, point{x: []float64{1e300, 1}}
	named := []string{"u", "v"}
	for name, c := range map[string]struct {
		table  dl4go.Table[point]
		values []point
		want   []string
	}{
		"no features": {dl4go.Table[point]{}, []point{good}, []string{"Features is nil"}},
		"two labels": {dl4go.Table[point]{Features: row, Class: class, Target: target}, []point{good},
			[]string{"Class and Target"}},
		"no values": {dl4go.Table[point]{Features: row}, nil, []string{"no values"}},
		"empty row": {dl4go.Table[point]{Features: row}, []point{{}}, []string{"example 0 has 0 features"}},
		"missing field": {dl4go.Table[point]{Features: row}, []point{good, {x: []float64{1}}},
			[]string{"example 1 has 1 features", "example 0 has 2"}},
		"missing target": {dl4go.Table[point]{Features: row, Target: target}, []point{good, {x: good.x}},
			[]string{"example 1 has 0 targets"}},
		"names": {dl4go.Table[point]{Features: row, Columns: named[:1]}, []point{good},
			[]string{"2 features", "1 names"}},
		"twice": {dl4go.Table[point]{Features: row, Columns: []string{"u", "u"}}, []point{good},
			[]string{`"u" is named twice`}},
		"shape": {dl4go.Table[point]{Features: row, Shape: []int{1, 2, 2}}, []point{good},
			[]string{"example 0 has 2 features", "needs 4"}},
		"bad shape": {dl4go.Table[point]{Features: row, Shape: []int{-1, -2}}, []point{good}, []string{"-1"}},
		"NaN": {dl4go.Table[point]{Features: row, Columns: named}, []point{good, nan},
			[]string{`column "v"`, "example 1 has NaN", "fill it in"}},
		"too large": {dl4go.Table[point]{Features: row}, []point{huge}, []string{"example 0 has +Inf in column 0"}},
		"no class": {dl4go.Table[point]{Features: row, Class: class}, []point{good, {x: good.x}},
			[]string{"example 1 has no class"}},
		"wrong class": {dl4go.Table[point]{Features: row, Class: class, Classes: []string{"b", "c"}}, []point{good},
			[]string{`example 0 has the class "a"`, "b, c"}},
	} {
		_, err := c.table.Data(c.values)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range append(c.want, "table of dl4go_test.point: ") {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", name, err, want)
			}
		}
	}
	var value *data.ValueError
	_, err := dl4go.Table[point]{Features: row}.Data([]point{good, nan})
	if !errors.As(err, &value) || value.Example != 1 || value.Column != 1 {
		t.Errorf("NaN: %v is no ValueError of its place", err)
	}
}

// Split divides the examples: none is lost, none is in both parts, and the same seed gives the same parts.
func TestSplit(t *testing.T) {
	var values []point
	for i := range 10 {
		values = append(values, point{x: []float64{float64(i)}})
	}
	all, err := dl4go.Table[point]{Features: row}.Data(values)
	if err != nil {
		t.Fatal(err)
	}
	first, second, err := dl4go.Split(all, 0.7, 3)
	if err != nil || first.Objects() != 7 || second.Objects() != 3 {
		t.Fatalf("parts of %v: %v", all, err)
	}
	got := append(first.Range(0, 7).Features[0].Data, second.Range(0, 3).Features[0].Data...)
	again, _, err := dl4go.Split(all, 0.7, 3)
	if err != nil || !slices.Equal(again.Range(0, 7).Features[0].Data, got[:7]) {
		t.Errorf("the seed does not repeat the split: %v", err)
	}
	slices.Sort(got)
	if !slices.Equal(got, []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("both parts have %v", got)
	}
	for _, share := range []float64{0, 1, -1, 0.01, 0.99, math.NaN()} {
		if _, _, err := dl4go.Split(all, share, 3); err == nil {
			t.Errorf("a share of %v is taken", share)
		}
	}
	if _, _, err := dl4go.Split(nil, 0.5, 1); err == nil {
		t.Error("nil is taken")
	}
}
