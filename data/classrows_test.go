package data

import (
	"reflect"
	"testing"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// TestClassRows checks that examples with one-hot labels are read as they were, alone and together, and that other
// labels are left to ExampleRows.
func TestClassRows(t *testing.T) {
	filled := func(shape ...int) *tensor.Dense {
		a := tensor.New(shape...)
		for i := range a.Data {
			a.Data[i] = float32(i) / 7
		}
		return a
	}
	y := tensor.New(4, 3)
	for i, class := range []int{2, 0, 0, 1} {
		y.Data[i*3+class] = 1
	}
	for name, m := range map[string]*MultiDataSet{
		"plain": {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{y}},
		"names": {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{y},
			LabelNames: []string{"a", "b", "c"}},
		"weights":  {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{y}, Weights: filled(4, 1)},
		"pictures": {Features: []*tensor.Dense{filled(4, 1, 2, 2), filled(4, 2)}, Labels: []*tensor.Dense{y}},
		"masks": {Features: []*tensor.Dense{filled(4, 2, 3)}, Labels: []*tensor.Dense{y},
			FeatureMasks: []*tensor.Dense{filled(4, 3)}},
	} {
		rows := ClassRows(m)
		if len(rows) != 4 {
			t.Errorf("%s: %d rows", name, len(rows))
			continue
		}
		got, err := DecodeRows(rows)
		if err != nil || !reflect.DeepEqual(got, m) {
			t.Errorf("%s: %v, %+v", name, err, got)
		}
		for i, row := range rows {
			if one, err := DecodeRow(row); err != nil || !reflect.DeepEqual(one, m.Slice(i, i+1).Clone()) {
				t.Errorf("%s, example %d: %v, %+v", name, i, err, one)
			}
		}
	}
	two := y.Clone()
	two.Data[0] = 1
	for name, m := range map[string]*MultiDataSet{
		"two classes of an example": {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{two}},
		"numbers":                   {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{filled(4, 3)}},
		"one column":                {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{tensor.New(4, 1)}},
		"none":                      {Features: []*tensor.Dense{filled(4, 5)}},
		"keys": {Features: []*tensor.Dense{filled(4, 5)}, Labels: []*tensor.Dense{y},
			Meta: []string{"a", "b", "c", "d"}},
	} {
		if ClassRows(m) != nil {
			t.Errorf("%s: taken for classes", name)
		}
	}
}

// TestElements checks that a row with other elements at these places is the other example, and that damaged rows have
// none or stay within their bytes.
func TestElements(t *testing.T) {
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(1, 3), nil}, Labels: []*tensor.Dense{tensor.New(1, 2)},
		Weights: tensor.New(1, 1), LabelNames: []string{"a", "b"}}
	m.Labels[0].Data[1] = 1
	if got := Elements(AppendRow(nil, m)); len(got) != 3 || got[0].To-got[0].From != 12 || got[2].To-got[2].From != 4 {
		t.Errorf("elements at %v", got)
	}
	row := ClassRow(m, 1)
	if got := Elements(row); len(got) != 3 || got[1].To-got[1].From != 4 {
		t.Errorf("elements of a class at %v", got)
	}
	r := random.NewSource(1)
	for range 20_000 {
		b := append([]byte(nil), row[:r.Intn(len(row)+1)]...)
		for range r.Intn(3) {
			if len(b) > 0 {
				b[r.Intn(len(b))] = byte(r.Uint64())
			}
		}
		at := 0
		for _, s := range Elements(b) {
			if s.From < at || s.To <= s.From || s.To > len(b) {
				t.Fatalf("%x: elements at %v", b, s)
			}
			at = s.To
		}
	}
}
