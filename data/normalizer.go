package data

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// Normalizer changes features in place, and labels too if it is set up for that. It is safe for concurrent use once it
// is fitted.
//
// Labels in the same memory as the features, as autoencoders have them, get memory of their own first. So they change
// like any other labels: once, or not at all. Deeplearning4j differs: such labels change with the features.
type Normalizer interface {
	// Transform normalizes the data. It fails if an array has another number of columns than the statistics, and for data
	// that [MultiDataSet.Validate] refuses.
	Transform(m *MultiDataSet) error
	// Revert undoes Transform. Masked time steps, which Transform sets to zero, stay zero.
	Revert(m *MultiDataSet) error
}

// Fitter is a [Normalizer] that must be fitted to data first.
type Fitter interface {
	Normalizer
	// Fit replaces the statistics by those of all minibatches. It needs memory for one minibatch at a time.
	Fit(it Iterator) error
}

// each calls f with the column (dimension 1) and elements of every run of elements that have the same column. An array
// [batch, columns, …] has batch·columns runs.
func each(a *tensor.Dense, f func(row, column int, run []float32)) {
	columns, inner := a.Shape[1], 1
	for _, d := range a.Shape[2:] {
		inner *= d
	}
	for row := range a.Shape[0] {
		for c := range columns {
			at := (row*columns + c) * inner
			f(row, c, a.Data[at:at+inner])
		}
	}
}

// unshare gives arrays of features or labels that share their elements with another array a copy of them.
func unshare(m *MultiDataSet) {
	var seen []*float32
	for _, list := range []*[]*tensor.Dense{&m.Features, &m.Labels} {
		own := false
		for i, a := range *list {
			if a == nil || len(a.Data) == 0 {
				continue
			}
			if first := &a.Data[0]; !slices.Contains(seen, first) {
				seen = append(seen, first)
				continue
			}
			if !own { // the list may belong to another minibatch
				*list, own = slices.Clone(*list), true
			}
			(*list)[i] = a.Clone()
		}
	}
}

// checkColumns fails unless the array has n columns.
func checkColumns(a *tensor.Dense, n int, what string, i int) error {
	if a == nil {
		return fmt.Errorf("%s %d: the array is missing", what, i)
	}
	if size, err := a.Shape.CheckedSize(len(a.Data)); err != nil || size != len(a.Data) {
		return fmt.Errorf("%s %d of shape %v: there are %d numbers", what, i, a.Shape, len(a.Data))
	}
	if len(a.Shape) < 2 || a.Shape[1] != n {
		return fmt.Errorf("%s %d of shape %v: the normalizer was fitted to data of %d columns (dimension 1)",
			what, i, a.Shape, n)
	}
	return nil
}

// zeroMasked multiplies time series [batch, size, time] by their mask [batch, time] or [batch, size, time]. Masked
// values become 0, also NaN. Other arrays stay unchanged.
func zeroMasked(a, mask *tensor.Dense) {
	if mask == nil || len(a.Shape) != 3 {
		return
	}
	each(a, func(row, column int, run []float32) {
		for t, m := range maskRow(a, mask, row, column) {
			if run[t] *= m; m == 0 && run[t] != 0 {
				run[t] = 0 // also if it was NaN or infinite
			}
		}
	})
}

// maskRow returns the mask of one row and column of a time series.
func maskRow(a, mask *tensor.Dense, row, column int) []float32 {
	steps := a.Shape[2]
	if len(mask.Shape) == 3 {
		row = row*a.Shape[1] + column
	} else if mask.Shape[1] != steps {
		return nil // one value per example says nothing about the steps
	}
	return mask.Data[row*steps : (row+1)*steps]
}
