package data

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/internal/near"
	"github.com/dl4go/dl4go/tensor"
)

func weighted(weights []float32, labels *tensor.Dense) *MultiDataSet {
	n := labels.Shape[0]
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(n, 1)}, Labels: []*tensor.Dense{labels}}
	for i := range n {
		m.Features[0].Data[i] = float32(i)
	}
	if weights != nil {
		m.Weights = tensor.MustOf(weights, n, 1)
	}
	return m
}

// TestBalanced: the weights equal those of scikit-learn's compute_class_weight and compute_sample_weight.
func TestBalanced(t *testing.T) {
	classes := weighted(nil, tensor.MustOf([]float32{1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1}, 4, 3)) // 0 0 0 2
	var tally Tally
	if err := tally.Add(classes, Weighting{}); err != nil {
		t.Fatal(err)
	}
	w := tally.Balanced(false)
	if want := []float64{4.0 / 9, 0, 4.0 / 3}; !slices.Equal(w.Classes, want) {
		t.Errorf("weights %v, want %v", w.Classes, want)
	}
	var total Tally
	if err := total.Add(classes, w); err != nil {
		t.Fatal(err)
	}
	w.Scale = total.Scale() // to a mean of 1
	got, err := NewWeigher(w).Apply(classes)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{2.0 / 3, 2.0 / 3, 2.0 / 3, 2}; near.All(got.Weights.Data, want, 1e-6, 0) != nil ||
		classes.Weights != nil {
		t.Errorf("weights %v, want %v", got.Weights.Data, want)
	}

	several := weighted(nil, tensor.MustOf([]float32{1, 0, 1, 1, 1, 0, 0, 0}, 4, 2))
	tally = Tally{}
	if err := tally.Add(several, Weighting{}); err != nil {
		t.Fatal(err)
	}
	got, err = NewWeigher(tally.Balanced(true)).Apply(several)
	if err != nil {
		t.Fatal(err)
	}
	// compute_sample_weight("balanced", y) returns the product over the columns.
	a, b, c, d := 4.0/(2*3), 4.0/2, 4.0/2, 4.0/(2*3)
	want := []float32{float32(a * d), float32(a * c), float32(a * d), float32(b * d)}
	if near.All(got.Weights.Data, want, 1e-6, 0) != nil {
		t.Errorf("weights %v, want %v", got.Weights.Data, want)
	}
}

// TestWeightsOfSteps: the weight of a sequence is the mean weight of its unmasked steps, times its own weight.
func TestWeightsOfSteps(t *testing.T) {
	m := weighted([]float32{2, 1, 1}, tensor.MustOf([]float32{
		1, 0, 0, 0, 1, 0, // classes 0 and 1, and a step that is masked
		0, 0, 0, 1, 1, 1,
		0, 0, 0, 0, 0, 0}, 3, 2, 3))
	m.LabelMasks = []*tensor.Dense{tensor.MustOf([]float32{1, 1, 0, 0, 0, 1, 0, 0, 0}, 3, 3)}
	got, err := NewWeigher(Weighting{Classes: []float64{1, 4}}).Apply(m)
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{5, 4, 0}; !slices.Equal(got.Weights.Data, want) {
		t.Errorf("weights %v, want %v", got.Weights.Data, want)
	}
	one := weighted(nil, tensor.MustOf([]float32{0, 1, 1}, 3, 1))
	if got, err = NewWeigher(Weighting{Classes: []float64{3, 5}}).Apply(one); err != nil ||
		!slices.Equal(got.Weights.Data, []float32{3, 5, 5}) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err = NewWeigher(Weighting{Classes: []float64{3, 5, 6}}).Apply(one); err == nil {
		t.Error("weights of three classes for one column")
	}
}

// TestWeightsTravel: slices, selections, merges and rows keep the weights; files refuse them.
func TestWeightsTravel(t *testing.T) {
	labels := tensor.MustOf([]float32{1, 0, 0, 1, 1, 0}, 3, 2)
	m := weighted([]float32{0.5, 2, 3}, labels)
	if got := m.Slice(1, 3).Weights.Data; !slices.Equal(got, []float32{2, 3}) {
		t.Errorf("a slice has %v", got)
	}
	if got := m.Select([]int{2, 0}).Weights.Data; !slices.Equal(got, []float32{3, 0.5}) {
		t.Errorf("a selection has %v", got)
	}
	both, err := Merge([]*MultiDataSet{weighted(nil, labels), m})
	if err != nil || !slices.Equal(both.Weights.Data, []float32{1, 1, 1, 0.5, 2, 3}) {
		t.Errorf("merged: %v, %v", both, err)
	}
	var rows [][]byte
	for i := range 3 {
		rows = append(rows, AppendRow(nil, m.Slice(i, i+1)))
	}
	back, err := DecodeRows(rows)
	if err != nil || !slices.Equal(back.Weights.Data, m.Weights.Data) {
		t.Errorf("rows: %v, %v", back, err)
	}
	rows[1] = AppendRow(nil, weighted(nil, labels).Slice(1, 2))
	back, err = DecodeRows(rows)
	if err != nil || !slices.Equal(back.Weights.Data, []float32{0.5, 1, 3}) {
		t.Errorf("rows of which one has no weight: %v, %v", back, err)
	}
	if err := m.SaveFile(t.Context(), t.TempDir()+"/m.bin"); err == nil {
		t.Error("a file that loses the weights was written")
	}
	m.Weights = tensor.New(2, 1)
	if m.Validate() == nil {
		t.Error("two weights for three examples")
	}
}
