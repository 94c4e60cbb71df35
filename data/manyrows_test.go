package data

import (
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestLabelsOfSeveralRows: labels with several rows for each example stay with it in all operations on minibatches.
func TestLabelsOfSeveralRows(t *testing.T) {
	const examples, times = 5, 3
	m := &MultiDataSet{Features: []*tensor.Dense{tensor.New(examples, 1)},
		Labels:     []*tensor.Dense{tensor.New(examples*times, 2)},
		LabelMasks: []*tensor.Dense{tensor.New(examples*times, 1)}}
	for i := range examples {
		m.Features[0].Data[i] = float32(i)
		for k := range times {
			r := k*examples + i
			m.Labels[0].Data[2*r], m.Labels[0].Data[2*r+1] = float32(i), float32(k)
			m.LabelMasks[0].Data[r] = float32(10*i + k)
		}
	}
	check := func(what string, got *MultiDataSet, order ...int) {
		t.Helper()
		if err := got.Validate(); err != nil || got.Examples() != len(order) {
			t.Errorf("%s: %d examples, want %d; %v", what, got.Examples(), len(order), err)
			return
		}
		var labels, mask []float32
		for k := range times {
			for _, i := range order {
				labels, mask = append(labels, float32(i), float32(k)), append(mask, float32(10*i+k))
			}
		}
		if !slices.Equal(got.Labels[0].Data, labels) || !slices.Equal(got.LabelMasks[0].Data, mask) {
			t.Errorf("%s: labels %v and mask %v, want %v and %v", what, got.Labels[0].Data, got.LabelMasks[0].Data, labels, mask)
		}
	}
	check("slice", m.Slice(1, 4), 1, 2, 3)
	check("selection", m.Select([]int{4, 0}), 4, 0)
	merged, err := Merge([]*MultiDataSet{m.Slice(3, 5), m.Slice(0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	check("merged", merged, 3, 4, 0)
	rows := [][]byte{AppendRow(nil, m.Slice(2, 3)), AppendRow(nil, m.Slice(0, 1))}
	decoded, err := DecodeRows(rows)
	if err != nil {
		t.Fatal(err)
	}
	check("rows", decoded, 2, 0)
	other := &MultiDataSet{Features: m.Features, Labels: []*tensor.Dense{tensor.New(examples, 2)}}
	if _, err := Merge([]*MultiDataSet{m, other}); err == nil {
		t.Error("examples of three rows of labels and of one are merged")
	}
	other.Labels[0] = tensor.New(examples+1, 2)
	if other.Validate() == nil {
		t.Errorf("%d rows of labels of %d examples are right", examples+1, examples)
	}
}
