package data

import (
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestBadArrays: every normalizer refuses data sets with arrays that are missing or shorter than their shapes.
func TestBadArrays(t *testing.T) {
	good := func() *MultiDataSet {
		return &MultiDataSet{Features: []*tensor.Dense{tensor.MustOf([]float32{1, 2, 3, 4, 5, 6}, 2, 3)},
			Labels: []*tensor.Dense{tensor.MustOf([]float32{1, 2}, 2, 1)}}
	}
	image := func() *MultiDataSet {
		return &MultiDataSet{Features: []*tensor.Dense{tensor.New(2, 3, 4, 4)}}
	}
	standardize, minMax := NewStandardize(true), NewMinMax(0, 1, true)
	for _, n := range []*Scaler{standardize, minMax} {
		if err := n.Fit(Of(good())); err != nil {
			t.Fatal(err)
		}
	}
	for name, n := range map[string]Normalizer{"standardize": standardize, "min-max": minMax, "image": NewImageScaler(),
		"VGG16": VGG16Normalizer{}} {
		for what, spoil := range map[string]func(m *MultiDataSet){
			"nil features":   func(m *MultiDataSet) { m.Features[0] = nil },
			"short features": func(m *MultiDataSet) { m.Features[0].Data = m.Features[0].Data[:5] },
			"a vector":       func(m *MultiDataSet) { m.Features[0] = tensor.New(6) },
			"nil labels":     func(m *MultiDataSet) { m.Labels = []*tensor.Dense{nil} },
			"short labels": func(m *MultiDataSet) {
				m.Labels = []*tensor.Dense{{Shape: tensor.Shape{2, 1}, Data: []float32{1}}}
			},
			"short mask": func(m *MultiDataSet) {
				m.FeatureMasks = []*tensor.Dense{{Shape: tensor.Shape{2, 1}, Data: []float32{1}}}
			},
		} {
			m := good()
			if name == "image" || name == "VGG16" {
				m = image()
			}
			spoil(m)
			for _, f := range []func(*MultiDataSet) error{n.Transform, n.Revert} {
				if err := f(m); err == nil {
					t.Errorf("%s, %s: no error", name, what)
				}
			}
		}
	}
	if err := standardize.RevertLabels([]*tensor.Dense{nil}, nil); err == nil {
		t.Error("nil outputs are no error")
	}
}
