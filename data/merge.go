package data

import (
	"fmt"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// Merge puts the examples of several minibatches into one, in order. Time series (three dimensions) of different
// lengths are padded with zeros at their end, and get a mask. If only some parts have a mask, or weights, the others
// count as 1. A single part is returned unchanged. Merge fails if [MultiDataSet.Validate] refuses one of several parts.
func Merge(parts []*MultiDataSet) (*MultiDataSet, error) {
	switch len(parts) {
	case 0:
		return nil, fmt.Errorf("no data sets to merge")
	case 1:
		return parts[0], nil
	}
	for i, p := range parts {
		if err := p.Validate(); err != nil {
			return nil, fmt.Errorf("data set %d: %w", i, err)
		}
	}
	first := parts[0]
	out := &MultiDataSet{LabelNames: first.LabelNames}
	for i, p := range parts {
		if len(p.Features) != len(first.Features) || len(p.Labels) != len(first.Labels) {
			return nil, fmt.Errorf("data set %d has %d arrays of features and %d of labels, the first has %d and %d",
				i, len(p.Features), len(p.Labels), len(first.Features), len(first.Labels))
		}
	}
	var err error
	out.Features, out.FeatureMasks, err = mergeLists(parts, "features", len(first.Features),
		func(p *MultiDataSet, i int) (array, mask *tensor.Dense) { return p.Features[i], p.FeatureMask(i) })
	if err != nil {
		return nil, err
	}
	out.Labels, out.LabelMasks, err = mergeLists(parts, "labels", len(first.Labels),
		func(p *MultiDataSet, i int) (array, mask *tensor.Dense) { return p.Labels[i], p.LabelMask(i) })
	if err != nil {
		return nil, err
	}
	out.Weights = mergeWeights(parts)
	for _, p := range parts {
		if p.Meta == nil {
			return out, nil
		}
	}
	for _, p := range parts {
		out.Meta = append(out.Meta, p.Meta...)
	}
	return out, nil
}

// mergeWeights joins weights; it returns nil if no part has any.
func mergeWeights(parts []*MultiDataSet) *tensor.Dense {
	var all []float32
	n := 0
	for _, p := range parts {
		if p.Weights != nil {
			for len(all) < n { // of the parts before
				all = append(all, 1)
			}
			all = append(all, p.Weights.Data...)
		}
		n += p.Examples()
	}
	if all == nil {
		return nil
	}
	for len(all) < n {
		all = append(all, 1)
	}
	return tensor.MustOf(all, n, 1)
}

func mergeLists(parts []*MultiDataSet, what string, n int, get func(*MultiDataSet, int) (array, mask *tensor.Dense),
) (merged, mergedMasks []*tensor.Dense, err error) {
	times := make([]int, len(parts))
	for i := range n {
		arrays, masks := make([]*tensor.Dense, len(parts)), make([]*tensor.Dense, len(parts))
		for j, p := range parts {
			arrays[j], masks[j] = get(p, i)
			if times[j] = 1; p.Examples() > 0 {
				times[j] = arrays[j].Rows() / p.Examples()
			}
			if times[j] != times[0] {
				return nil, nil, &ShapeError{arrayName(what, i, n), arrays[j].Shape,
					fmt.Sprintf("data set %d has %d rows for each example, the first %d: they can't be merged", j, times[j], times[0])}
			}
		}
		array, mask, err := mergeArrays(arrays, masks, times[0], arrayName(what, i, n))
		if err != nil {
			return nil, nil, err
		}
		merged = append(merged, array)
		if mask != nil && mergedMasks == nil {
			mergedMasks = make([]*tensor.Dense, n)
		}
		if mask != nil {
			mergedMasks[i] = mask
		}
	}
	return merged, mergedMasks, nil
}

// mergeArrays joins arrays that have several rows for each example. It joins their masks if any has one or the lengths
// differ.
func mergeArrays(arrays, masks []*tensor.Dense, times int, what string) (array, mask *tensor.Dense, err error) {
	shape := arrays[0].Shape.Clone()
	series := len(shape) == 3
	shape[0] = 0
	differ := false
	for i, a := range arrays {
		ok := len(a.Shape) == len(shape)
		for d := 1; ok && d < len(shape); d++ {
			ok = a.Shape[d] == shape[d] || series && d == 2
		}
		if !ok {
			return nil, nil, &ShapeError{what, a.Shape,
				fmt.Sprintf("data set %d can't be merged with the first, whose shape is %v", i, arrays[0].Shape)}
		}
		if series && a.Shape[2] != arrays[0].Shape[2] {
			differ = true
			shape[2] = max(shape[2], a.Shape[2])
		}
		shape[0] += a.Shape[0]
	}
	array = tensor.New(shape...)
	placeAll(array, arrays, times)
	first := slices.IndexFunc(masks, func(m *tensor.Dense) bool { return m != nil })
	if first < 0 && !differ {
		return array, nil, nil
	}
	mask, err = mergeMasks(arrays, masks, shape, first, times, what)
	return array, mask, err
}

// mergeMasks joins masks; first is the index of the first part with a mask, or -1. If sequences are padded, or one of
// the masks has a value for each step, the result has one for each step: a mask with a value for each example has that
// value at all its steps.
func mergeMasks(arrays, masks []*tensor.Dense, shape tensor.Shape, first, times int, what string) (*tensor.Dense,
	error) {
	var out tensor.Shape // the shape of one part's mask; if steps matter, they are the last dimension
	if first < 0 {
		out = tensor.Shape{0, shape[2]}
	} else {
		out = masks[first].Shape.Clone()
	}
	last := len(out) - 1
	timed := false
	for i, a := range arrays {
		if len(shape) == 3 {
			own := masks[i] != nil && masks[i].Shape[len(masks[i].Shape)-1] == a.Shape[2]
			timed = timed || own || a.Shape[2] != shape[2] || first < 0
		}
	}
	filled := make([]*tensor.Dense, len(arrays))
	for i, a := range arrays {
		want := out.Clone()
		want[0] = a.Shape[0]
		if timed {
			want[last] = a.Shape[2]
		}
		filled[i] = masks[i]
		if masks[i] == nil {
			filled[i] = tensor.New(want...)
			for j := range filled[i].Data {
				filled[i].Data[j] = 1
			}
		} else if !masks[i].Shape.Equal(want) {
			one := want.Clone()
			one[last] = 1
			if !timed || !masks[i].Shape.Equal(one) {
				return nil, &ShapeError{what + " mask", masks[i].Shape,
					fmt.Sprintf("to be merged with the others, data set %d's mask should be %v", i, want)}
			}
			filled[i] = repeatLast(masks[i], want)
		}
	}
	out[0] = shape[0]
	if timed {
		out[last] = shape[2]
	}
	mask := tensor.New(out...)
	placeAll(mask, filled, times)
	return mask, nil
}

// repeatLast repeats the one element of a's last dimension.
func repeatLast(a *tensor.Dense, shape tensor.Shape) *tensor.Dense {
	out := tensor.New(shape...)
	n := shape[len(shape)-1]
	for i := range out.Data {
		out.Data[i] = a.Data[i/n]
	}
	return out
}

// placeAll copies arrays to out. Each consists of times parts; the first parts of all arrays come first, then their
// second parts, and so on.
func placeAll(out *tensor.Dense, arrays []*tensor.Dense, times int) {
	row := 0
	for k := range times {
		for _, a := range arrays {
			n := a.Shape[0] / times
			place(out, a.Slice(k*n, (k+1)*n), row)
			row += n
		}
	}
}

// place copies a into out from the given row on. Their last dimensions may differ; the others are equal.
func place(out, a *tensor.Dense, row int) {
	n, wide := a.Shape[len(a.Shape)-1], out.Shape[len(out.Shape)-1]
	at := out.Data[row*out.RowSize():]
	if n == wide {
		copy(at, a.Data)
		return
	}
	if n == 0 {
		return
	}
	for i := 0; i < len(a.Data)/n; i++ {
		copy(at[i*wide:i*wide+n], a.Data[i*n:])
	}
}
