// Package data holds examples with their labels and masks, and iterates over them in minibatches.
//
// [DataSet] has one array of features and one of labels, [MultiDataSet] any number of each. Both are read from and
// written to Deeplearning4j's files. An [Iterator] returns minibatches; [Prefetch] reads ahead. Package data/source
// opens files of examples.
//
// A [Normalizer] scales examples before they go into a network, and scales outputs back. A [Scaler] uses statistics of
// the data, an [ImageScaler] the range of pixels. [WriteNormalizer] and [ReadNormalizer] write and read
// Deeplearning4j's files of normalizers.
package data

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/random"
	"github.com/dl4go/dl4go/tensor"
)

// DataSet is a minibatch for a network with one input and one output. The first dimension of each array counts the
// examples:
//
//	features [examples, size], [examples, size, time] or [examples, channels, height, width]
//	masks    [examples, time] beside time series, else [examples, 1] or the shape of what they mask; 1 present, 0 absent
//
// Only Features is required. Training works on MultiDataSets: see [DataSet.Multi].
type DataSet struct {
	Features, Labels       *tensor.Dense
	FeatureMask, LabelMask *tensor.Dense
	Weights                *tensor.Dense // as in MultiDataSet
	Meta                   []string      // one per example; nil if there are none
	LabelNames             []string      // one per class; nil if they are not known
}

// Multi returns the same minibatch as a [MultiDataSet]. It shares the arrays.
func (d *DataSet) Multi() *MultiDataSet {
	m := &MultiDataSet{Weights: d.Weights, Meta: d.Meta, LabelNames: d.LabelNames}
	if d.Features != nil {
		m.Features = []*tensor.Dense{d.Features}
	}
	if d.Labels != nil {
		m.Labels = []*tensor.Dense{d.Labels}
	}
	if d.FeatureMask != nil {
		m.FeatureMasks = []*tensor.Dense{d.FeatureMask}
	}
	if d.LabelMask != nil {
		m.LabelMasks = []*tensor.Dense{d.LabelMask}
	}
	return m
}

// MultiDataSet is a minibatch for a network with any number of inputs and outputs. The first dimension of each array
// counts the examples. Labels may have k times as many rows, for networks that make k examples of one
// (layer.SpaceToBatch, vertex.Stack). Then row j·examples + i belongs to example i. A list of masks is nil, or has an
// element for each array: a mask, or nil if everything is present.
type MultiDataSet struct {
	Features, Labels         []*tensor.Dense
	FeatureMasks, LabelMasks []*tensor.Dense
	// Weights, [examples, 1], multiply the examples' losses in training; nil means that each has weight 1. A mask is
	// not a weight: as in Deeplearning4j, a mask that is neither 0 nor 1 changes what an output layer computes.
	Weights    *tensor.Dense
	Meta       []string // one per example; nil if there are none
	LabelNames []string // one per class of the first labels; nil if they are not known
}

// Single returns the same minibatch as a DataSet. It fails if there are several inputs or outputs.
func (m *MultiDataSet) Single() (*DataSet, error) {
	if len(m.Features) != 1 || len(m.Labels) > 1 {
		return nil, fmt.Errorf("a DataSet has one array of features and one of labels: this data has %d and %d",
			len(m.Features), len(m.Labels))
	}
	d := &DataSet{Features: m.Features[0], FeatureMask: maskOf(m.FeatureMasks, 0), Weights: m.Weights,
		Meta: m.Meta, LabelNames: m.LabelNames}
	if len(m.Labels) == 1 {
		d.Labels, d.LabelMask = m.Labels[0], maskOf(m.LabelMasks, 0)
	}
	return d, nil
}

// FeatureMask returns the mask of Features[i]; nil if everything is present.
func (m *MultiDataSet) FeatureMask(i int) *tensor.Dense { return maskOf(m.FeatureMasks, i) }

// LabelMask returns the mask of Labels[i]; nil if everything is present.
func (m *MultiDataSet) LabelMask(i int) *tensor.Dense { return maskOf(m.LabelMasks, i) }

func maskOf(masks []*tensor.Dense, i int) *tensor.Dense {
	if i >= len(masks) {
		return nil
	}
	return masks[i]
}

// Examples returns the number of examples; 0 if there are no features.
func (m *MultiDataSet) Examples() int {
	if len(m.Features) == 0 || m.Features[0] == nil {
		return 0
	}
	return m.Features[0].Rows()
}

// Bytes returns the memory of the arrays, in bytes.
func (m *MultiDataSet) Bytes() int64 {
	n := 0
	for _, a := range m.arrays() {
		n += 4 * len(a.Data)
	}
	return int64(n)
}

// arrays lists all arrays that are not nil.
func (m *MultiDataSet) arrays() []*tensor.Dense {
	var all []*tensor.Dense
	for _, list := range [][]*tensor.Dense{m.Features, m.Labels, m.FeatureMasks, m.LabelMasks} {
		for _, a := range list {
			if a != nil {
				all = append(all, a)
			}
		}
	}
	if m.Weights != nil {
		all = append(all, m.Weights)
	}
	return all
}

// each returns the data set with f applied to each array.
func (m *MultiDataSet) each(f func(*tensor.Dense) *tensor.Dense) *MultiDataSet {
	apply := func(list []*tensor.Dense) []*tensor.Dense {
		if list == nil {
			return nil
		}
		out := make([]*tensor.Dense, len(list))
		for i, a := range list {
			if a != nil {
				out[i] = f(a)
			}
		}
		return out
	}
	out := &MultiDataSet{
		Features: apply(m.Features), Labels: apply(m.Labels),
		FeatureMasks: apply(m.FeatureMasks), LabelMasks: apply(m.LabelMasks),
		Meta: m.Meta, LabelNames: m.LabelNames,
	}
	if m.Weights != nil {
		out.Weights = f(m.Weights)
	}
	return out
}

// Clone returns an independent copy.
func (m *MultiDataSet) Clone() *MultiDataSet { return m.each((*tensor.Dense).Clone) }

// Slice returns the examples [from, to). It shares the memory of arrays that have one row for each example; others are
// copied.
func (m *MultiDataSet) Slice(from, to int) *MultiDataSet {
	n := m.Examples()
	s := m.each(func(a *tensor.Dense) *tensor.Dense {
		if a.Rows() == n {
			return a.Slice(from, to)
		}
		rows := make([]int, to-from)
		for i := range rows {
			rows[i] = from + i
		}
		return selectRows(a, n, rows)
	})
	if m.Meta != nil {
		s.Meta = m.Meta[from:to:to]
	}
	return s
}

// Select returns a copy of the examples with these indices, in that order.
func (m *MultiDataSet) Select(rows []int) *MultiDataSet {
	n := m.Examples()
	s := m.each(func(a *tensor.Dense) *tensor.Dense { return selectRows(a, n, rows) })
	if m.Meta != nil {
		s.Meta = make([]string, len(rows))
		for i, r := range rows {
			s.Meta[i] = m.Meta[r]
		}
	}
	return s
}

// selectRows copies the rows of the given examples. There are n examples, with the same number of rows each.
func selectRows(a *tensor.Dense, n int, examples []int) *tensor.Dense {
	times := 1
	if n > 0 {
		times = a.Rows() / n
	}
	shape := a.Shape.Clone()
	shape[0] = times * len(examples)
	out := tensor.New(shape...)
	size := a.RowSize()
	for i := range shape[0] {
		r := i/len(examples)*n + examples[i%len(examples)]
		copy(out.Data[i*size:(i+1)*size], a.Data[r*size:])
	}
	return out
}

// Shuffle returns a copy of the examples in an order that depends on the seed. A data set that [MultiDataSet.Validate]
// refuses is returned unchanged, so that its next user reports the error.
func (m *MultiDataSet) Shuffle(seed uint64) *MultiDataSet {
	if m.Validate() != nil {
		return m
	}
	return m.Select(random.Permutation(seed, m.Examples()))
}
