package data

import (
	"bytes"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestDecodeRowsIsMerge compares with decoding the rows one by one and merging them.
func TestDecodeRowsIsMerge(t *testing.T) {
	next := float32(0)
	array := func(shape ...int) *tensor.Dense {
		a := tensor.New(shape...)
		for i := range a.Data {
			next++
			a.Data[i] = next
		}
		return a
	}
	plain := func() *MultiDataSet { return (&DataSet{Features: array(1, 3), Labels: array(1, 2)}).Multi() }
	masked := func() *MultiDataSet {
		return (&DataSet{Features: array(1, 3, 4), Labels: array(1, 2, 4), LabelMask: array(1, 4)}).Multi()
	}
	named := func(name string) *MultiDataSet {
		m := plain()
		m.Meta = []string{name}
		return m
	}
	labelled := func(name string) *MultiDataSet {
		m := plain()
		m.LabelNames = []string{name, "other"}
		return m
	}
	two := func() *MultiDataSet {
		return &MultiDataSet{Features: []*tensor.Dense{array(2, 3), array(2, 1, 2)}, Labels: []*tensor.Dense{array(2, 2)},
			FeatureMasks: []*tensor.Dense{nil, array(2, 2)}}
	}
	many := func(n int) *MultiDataSet {
		m := &MultiDataSet{Labels: []*tensor.Dense{array(1, 2)}}
		for range n {
			m.Features, m.FeatureMasks = append(m.Features, array(1, 2)), append(m.FeatureMasks, array(1, 1))
		}
		return m
	}
	for name, parts := range map[string][]*MultiDataSet{
		"253 arrays":   {many(253), many(253)},
		"254 arrays":   {many(254), many(254)},
		"255 arrays":   {many(255), many(255)},
		"300 arrays":   {many(300), many(300), many(300)},
		"one":          {plain()},
		"plain":        {plain(), plain(), plain()},
		"masked":       {masked(), masked()},
		"two inputs":   {two(), two(), two()},
		"metadata":     {named("a"), named("b")},
		"label names":  {labelled("a"), labelled("b")}, // those of the first row are kept
		"other length": {(&DataSet{Features: array(1, 2, 3)}).Multi(), (&DataSet{Features: array(1, 2, 5)}).Multi()},
		"same bytes":   {(&DataSet{Features: array(1, 2, 3)}).Multi(), (&DataSet{Features: array(2, 1, 3)}).Multi()},
	} {
		rows := make([][]byte, len(parts))
		for i, p := range parts {
			rows[i] = AppendRow(nil, p)
		}
		want, wantErr := Merge(parts)
		got, err := DecodeRows(rows)
		if (err == nil) != (wantErr == nil) {
			t.Errorf("%s: error %v, merging gives %v", name, err, wantErr)
		}
		if err == nil && len(got.Features) != len(parts[0].Features) {
			t.Errorf("%s: %d arrays, of %d", name, len(got.Features), len(parts[0].Features))
		}
		if err == nil && !bytes.Equal(AppendRow(nil, got), AppendRow(nil, want)) {
			t.Errorf("%s: the minibatch differs from the merged one", name)
		}
		if err == nil {
			checkSpent(t, name, rows, want)
		}
		if _, err := DecodeRows(append(rows, rows[0][:len(rows[0])-1])); err == nil {
			t.Errorf("%s: a row that is cut off is accepted", name)
		}
	}
}

// checkSpent decodes rows into the memory of other minibatches.
func checkSpent(t *testing.T, name string, rows [][]byte, want *MultiDataSet) {
	t.Helper()
	larger, err := DecodeRows(append(slices.Clone(rows), rows...))
	if err != nil {
		t.Fatal(err)
	}
	smaller, err := DecodeRows(rows[:1])
	if err != nil {
		t.Fatal(err)
	}
	for _, spent := range []*MultiDataSet{larger, smaller, {}, {Features: make([]*tensor.Dense, 1)}} {
		for _, l := range spent.lists() {
			for _, a := range l {
				if a != nil {
					for i := range a.Data {
						a.Data[i] = -7
					}
				}
			}
		}
		got, err := DecodeRowsInto(spent, rows)
		if err != nil || !bytes.Equal(AppendRow(nil, got), AppendRow(nil, want)) {
			t.Errorf("%s: in the memory of another minibatch, this one differs (%v)", name, err)
		}
	}
}

// TestExampleRows compares the rows of examples with the rows of their slices.
func TestExampleRows(t *testing.T) {
	of := func(shape ...int) *tensor.Dense {
		a := tensor.New(shape...)
		for i := range a.Data {
			a.Data[i] = float32(i) - 2.5
		}
		return a
	}
	for i, m := range []*MultiDataSet{
		{Features: []*tensor.Dense{of(3, 2)}},
		{Features: []*tensor.Dense{of(1, 2)}, Labels: []*tensor.Dense{of(1, 4)}},
		{Features: []*tensor.Dense{of(3, 2), of(3, 1, 2)}, Labels: []*tensor.Dense{of(3, 2), nil}, Weights: of(3, 1),
			LabelNames: []string{"a", "b"}},
		{Features: []*tensor.Dense{of(3, 2, 4)}, Labels: []*tensor.Dense{of(3, 1, 4)},
			FeatureMasks: []*tensor.Dense{of(3, 4)}, LabelMasks: []*tensor.Dense{nil}},
		{Features: []*tensor.Dense{of(2, 2)}, Meta: []string{"x", "yz"}},
	} {
		rows := ExampleRows(m)
		if len(rows) != m.Examples() {
			t.Fatalf("case %d: %d rows of %d examples", i, len(rows), m.Examples())
		}
		for k, row := range rows {
			if want := AppendRow(nil, m.Slice(k, k+1)); !bytes.Equal(row, want) {
				t.Errorf("case %d, example %d: %x, want %x", i, k, row, want)
			}
		}
	}
}
