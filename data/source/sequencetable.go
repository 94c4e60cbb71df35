package source

import (
	"fmt"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/tensor"
)

// sequenceTable is a Table of sequences in memory. In a minibatch, shorter sequences are padded with zeros at their
// end, and masked (DataVec: AlignmentMode.ALIGN_START).
type sequenceTable struct {
	info    Info
	x       []float32 // width numbers for each step
	y       []float32 // labels numbers for each step or each sequence
	ends    []int     // index after the last step of each sequence
	keys    []string  // one for each sequence; nil if there are none
	weights []float32 // one for each sequence; nil if there are none
	width   int
	labels  int // numbers of a label; 0: there are none
	perStep bool
	gaps    []bool // steps without a label; nil if all have one
}

func (t *sequenceTable) Info() Info   { return t.info }
func (t *sequenceTable) Objects() int { return len(t.ends) }

func (t *sequenceTable) Object(i int) (*data.MultiDataSet, error) {
	if i < 0 || i >= len(t.ends) {
		return nil, fmt.Errorf("%s has no example %d: there are %d", t.info.Name, i, len(t.ends))
	}
	return t.Range(i, i+1), nil
}

func (t *sequenceTable) Range(from, to int) *data.MultiDataSet {
	return t.gather(to-from, func(i int) int { return from + i })
}

func (t *sequenceTable) Examples(indices []int) *data.MultiDataSet {
	return t.gather(len(indices), func(i int) int { return indices[i] })
}

// span returns the first step and the number of steps of a sequence.
func (t *sequenceTable) span(i int) (from, steps int) {
	if i > 0 {
		from = t.ends[i-1]
	}
	return from, t.ends[i] - from
}

func (t *sequenceTable) gather(n int, index func(int) int) *data.MultiDataSet {
	longest, padded := 0, false
	for i := range n {
		_, steps := t.span(index(i))
		padded = padded || i > 0 && steps != longest
		longest = max(longest, steps)
	}
	m := &data.MultiDataSet{LabelNames: t.info.LabelNames}
	x := tensor.New(n, t.width, longest)
	m.Features = []*tensor.Dense{x}
	var mask *tensor.Dense
	if padded {
		mask = tensor.New(n, longest)
		m.FeatureMasks = []*tensor.Dense{mask}
	}
	y := t.labelArray(n, longest)
	if y != nil {
		m.Labels = []*tensor.Dense{y}
	}
	if t.weights != nil {
		m.Weights = tensor.New(n, 1)
	}
	for i := range n {
		k := index(i)
		from, steps := t.span(k)
		transpose(x.Data[i*t.width*longest:], t.x[from*t.width:], t.width, steps, longest)
		switch {
		case y == nil:
		case t.perStep:
			transpose(y.Data[i*t.labels*longest:], t.y[from*t.labels:], t.labels, steps, longest)
			t.clearGaps(y.Data[i*t.labels*longest:], from, steps, longest)
		default:
			copy(y.Data[i*t.labels:(i+1)*t.labels], t.y[k*t.labels:])
		}
		for s := 0; padded && s < steps; s++ {
			mask.Data[i*longest+s] = 1
		}
		if t.keys != nil {
			m.Meta = append(m.Meta, t.keys[k])
		}
		if m.Weights != nil {
			m.Weights.Data[i] = t.weights[k]
		}
	}
	if y != nil && t.perStep && t.gaps != nil {
		m.LabelMasks = []*tensor.Dense{t.labelMask(n, longest, index)}
	} else if y != nil && t.perStep && padded {
		m.LabelMasks = []*tensor.Dense{mask.Clone()}
	}
	return m
}

// clearGaps sets the labels of steps without a label to 0. The pipeline saw other labels there.
func (t *sequenceTable) clearGaps(y []float32, from, steps, apart int) {
	for s := 0; t.gaps != nil && s < steps; s++ {
		for k := 0; t.gaps[from+s] && k < t.labels; k++ {
			y[k*apart+s] = 0
		}
	}
}

// labelMask returns a mask that is 1 at steps with a label.
func (t *sequenceTable) labelMask(n, longest int, index func(int) int) *tensor.Dense {
	mask := tensor.New(n, longest)
	for i := range n {
		from, steps := t.span(index(i))
		for s := range steps {
			if !t.gaps[from+s] {
				mask.Data[i*longest+s] = 1
			}
		}
	}
	return mask
}

// labelArray returns an array for labels, or nil if there are none.
func (t *sequenceTable) labelArray(n, steps int) *tensor.Dense {
	switch {
	case t.labels == 0:
		return nil
	case t.perStep:
		return tensor.New(n, t.labels, steps)
	}
	return tensor.New(n, t.labels)
}

// transpose writes steps of width numbers as columns; apart is the distance between the starts of two rows of to.
func transpose(to, from []float32, width, steps, apart int) {
	for s := range steps {
		for k := range width {
			to[k*apart+s] = from[s*width+k]
		}
	}
}
