package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// Weighting has the weights of classes in training. They multiply the examples' own Weights. The zero value changes
// nothing.
type Weighting struct {
	// Classes has the weight of each class: of each column of the first labels, or of 0 and 1 if there is one column. A
	// sequence with labels for its steps has the mean weight of its unmasked steps. Empty: all weights are 1.
	Classes []float64 `json:"classes,omitempty"`
	// Absent has the weight of the absence of each label, if any number of labels may be present in an example; Classes
	// then has the weights of their presence. The weight of an example is the product over its labels, as in scikit-learn.
	// Empty: each example has exactly one class.
	Absent []float64 `json:"absent,omitempty"`
	// Scale multiplies all weights. 0 means 1.
	Scale float64 `json:"scale,omitempty"`
}

// Changes reports whether the Weighting has any effect.
func (w Weighting) Changes() bool { return len(w.Classes) > 0 || w.Scale != 0 && w.Scale != 1 }

// Weigher applies a [Weighting] to minibatches. Only one goroutine may use it at a time.
type Weigher struct {
	w      Weighting
	out    MultiDataSet
	memory []float32
}

// NewWeigher returns a Weigher, or nil if w changes nothing. A nil Weigher is usable, and changes nothing.
func NewWeigher(w Weighting) *Weigher {
	if !w.Changes() {
		return nil
	}
	return &Weigher{w: w}
}

// Apply returns the minibatch with its weights, which is valid until the next call. m does not change; the result
// shares its arrays. It fails if the Weighting does not fit the labels.
func (x *Weigher) Apply(m *MultiDataSet) (*MultiDataSet, error) {
	if x == nil {
		return m, nil
	}
	x.memory = resized(x.memory, m.Examples())
	scale := x.w.Scale
	if scale == 0 {
		scale = 1
	}
	for i := range x.memory {
		weight, err := x.w.Of(m, i)
		if err != nil {
			return nil, err
		}
		x.memory[i] = float32(weight * scale)
	}
	x.out = *m
	x.out.Weights = tensor.MustOf(x.memory, m.Examples(), 1)
	return &x.out, nil
}

// Of returns the weight of an example, without Scale. It fails if the labels do not fit.
func (w Weighting) Of(m *MultiDataSet, example int) (float64, error) {
	own := 1.0
	if m.Weights != nil {
		own = float64(m.Weights.Data[example])
	}
	if len(w.Classes) == 0 {
		return own, nil
	}
	if len(m.Labels) == 0 || m.Labels[0].Rows() != m.Examples() {
		return 0, fmt.Errorf("weights of classes need labels of classes, a row for each example")
	}
	y := m.Labels[0]
	columns := y.Shape[1]
	if columns != len(w.Classes) && !(columns == 1 && len(w.Classes) == 2) || len(y.Shape) > 3 {
		return 0, fmt.Errorf("there are weights of %d classes, and the labels have the shape %v",
			len(w.Classes), y.Shape)
	}
	if len(w.Absent) > 0 {
		return own * w.product(y.Data[example*columns:(example+1)*columns]), nil
	}
	return own * w.mean(y, m.LabelMask(0), example), nil
}

// product is the weight of labels that are each there or not.
func (w Weighting) product(y []float32) float64 {
	weight := 1.0
	for k, x := range y {
		weight *= w.Absent[k] + float64(x)*(w.Classes[k]-w.Absent[k])
	}
	return weight
}

// mean is the weight of the class of an example, or of those of its steps.
func (w Weighting) mean(y, mask *tensor.Dense, example int) float64 {
	steps, size := 1, y.RowSize()
	if len(y.Shape) == 3 {
		steps = y.Shape[2]
	}
	row := y.Data[example*size : (example+1)*size]
	sum, count := 0.0, 0
	for t := range steps {
		if mask != nil && !counts(mask, example, t) {
			continue
		}
		count++
		if y.Shape[1] == 1 {
			sum += w.Classes[0] + float64(row[t])*(w.Classes[len(w.Classes)-1]-w.Classes[0])
			continue
		}
		for k, weight := range w.Classes {
			sum += weight * float64(row[k*steps+t])
		}
	}
	if count == 0 {
		return 0
	}
	return sum / float64(count)
}

// counts says whether a label mask leaves a step.
func counts(mask *tensor.Dense, example, step int) bool {
	row := mask.Data[example*mask.RowSize() : (example+1)*mask.RowSize()]
	if steps := mask.Shape[len(mask.Shape)-1]; steps > step && len(row) >= steps {
		for at := step; at < len(row); at += steps {
			if row[at] != 0 {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(row, func(x float32) bool { return x != 0 })
}

// Check returns an error if a weight is negative or not finite, or if the weights of all classes are 0.
func (w Weighting) Check() error {
	sum := 0.0
	for k, x := range slices.Concat(w.Classes, w.Absent) {
		if !(x >= 0) || math.IsInf(x, 0) {
			return fmt.Errorf("the weight of class %d is %v: it must be a number of at least 0", k, x)
		}
		sum += x
	}
	if len(w.Classes) > 0 && sum == 0 {
		return fmt.Errorf("all classes have the weight 0: there would be nothing to learn")
	}
	return nil
}

// Balanced returns the weights that give all classes the same sum: n/(k·n_c) for n examples of k classes, n_c of them
// in class c. With each, any number of labels may be present in an example. Each label then has two classes of its own,
// present and absent, so k is 2.
func (t *Tally) Balanced(each bool) (w Weighting) {
	n := float64(t.Examples)
	weight := func(k int, of float64) float64 {
		if of <= 0 {
			return 0 // no example has it
		}
		return n / (float64(k) * of)
	}
	if len(t.Labels) == 1 && !each {
		return Weighting{Classes: []float64{weight(2, n-t.Labels[0]), weight(2, t.Labels[0])}}
	}
	for _, of := range t.Labels {
		if each {
			w.Classes, w.Absent = append(w.Classes, weight(2, of)), append(w.Absent, weight(2, n-of))
		} else {
			w.Classes = append(w.Classes, weight(len(t.Labels), of))
		}
	}
	return w
}
