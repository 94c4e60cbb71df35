package data

import (
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// TestBatchesOfBadArrays cuts, shuffles and merges data sets whose arrays are missing, or shorter than their shapes.
func TestBatchesOfBadArrays(t *testing.T) {
	array := func(data int, shape ...int) *tensor.Dense {
		return &tensor.Dense{Shape: shape, Data: make([]float32, data, 100)}
	}
	list := func(a ...*tensor.Dense) []*tensor.Dense { return a }
	good := list(array(8, 4, 2))
	for name, m := range map[string]*MultiDataSet{
		"no features":              {Labels: good},
		"nil features":             {Features: list(nil)},
		"nil second features":      {Features: list(array(8, 4, 2), nil)},
		"nil labels":               {Features: good, Labels: list(nil)},
		"short features":           {Features: list(array(6, 4, 2))},
		"long features":            {Features: list(array(9, 4, 2))},
		"short labels":             {Features: good, Labels: list(array(7, 4, 2))},
		"labels of other examples": {Features: good, Labels: list(array(6, 3, 2))},
		"short mask":               {Features: good, FeatureMasks: list(array(3, 4, 1))},
		"a vector":                 {Features: list(array(4, 4))},
		"a negative extent":        {Features: list(array(8, -4, -2))},
		"short metadata":           {Features: good, Meta: []string{"a"}},
	} {
		wants := func(what string, err error) {
			t.Helper()
			if e := (*ShapeError)(nil); !errors.As(err, &e) {
				t.Errorf("%s, %s: %v, wanted a ShapeError", name, what, err)
			}
		}
		it := m.Batches(3)
		_, err := it.Next()
		wants("Batches", err)
		_, err = it.Next()
		wants("Batches again", err)
		_, err = m.Shuffle(1).Batches(3).Next()
		wants("Shuffle", err)
		_, err = Merge([]*MultiDataSet{{Features: good, Labels: good}, m})
		wants("Merge", err)
	}
	for _, size := range []int{0, -1} {
		if _, err := (&MultiDataSet{Features: good}).Batches(size).Next(); err == nil || err == io.EOF {
			t.Errorf("minibatches of %d examples: %v", size, err)
		}
	}
}

// TestSliceEndsWithTheData: the elements after a slice's length, within its capacity, are not data.
func TestSliceEndsWithTheData(t *testing.T) {
	behind := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	m := &MultiDataSet{Features: []*tensor.Dense{{Shape: tensor.Shape{4, 2}, Data: behind[:4]}}}
	if got, err := m.Batches(4).Next(); err == nil {
		t.Errorf("four examples of two are %v", got.Features[0].Data)
	}
	defer func() {
		if recover() == nil {
			t.Error("rows behind the data can be sliced")
		}
	}()
	t.Errorf("rows behind the data are %v", slices.Clone(m.Features[0].Slice(2, 4).Data))
}
