package data

import "math"

// Tally counts examples, their labels and their weights, for balanced weights and their scale.
type Tally struct {
	// Examples is the number of examples.
	Examples int64 `json:"examples"`
	// Labels has the sum of each column of the first labels. A sequence counts with the mean of its unmasked steps.
	Labels []float64 `json:"labels"`
	// Weight is the sum of the weights, and Left the part of it that rounding cut off.
	Weight float64 `json:"weight"`
	Left   float64 `json:"left"`
}

// Add counts a minibatch, with the weights of w, without its Scale. It fails if w does not fit the labels.
func (t *Tally) Add(m *MultiDataSet, w Weighting) error {
	t.Examples += int64(m.Examples())
	for i := range m.Examples() {
		weight, err := w.Of(m, i)
		if err != nil {
			return err
		}
		t.add(weight)
	}
	if len(m.Labels) == 0 || len(m.Labels[0].Shape) > 3 || m.Labels[0].Rows() != m.Examples() {
		return nil
	}
	y := m.Labels[0]
	if t.Labels == nil {
		t.Labels = make([]float64, y.Shape[1])
	}
	one := Weighting{Classes: make([]float64, len(t.Labels))}
	for k := range t.Labels {
		one.Classes[k] = 1
		for i := range m.Examples() {
			if y.Shape[1] == 1 {
				t.Labels[k] += Weighting{Classes: []float64{0, 1}}.mean(y, m.LabelMask(0), i)
			} else {
				t.Labels[k] += one.mean(y, m.LabelMask(0), i)
			}
		}
		one.Classes[k] = 0
	}
	return nil
}

// add keeps the rest that rounding leaves (Neumaier 1974).
func (t *Tally) add(x float64) {
	sum := t.Weight + x
	if math.Abs(t.Weight) >= math.Abs(x) {
		t.Left += (t.Weight - sum) + x
	} else {
		t.Left += (x - sum) + t.Weight
	}
	t.Weight = sum
}

// Merge adds the counts of another tally.
func (t *Tally) Merge(o Tally) {
	t.Examples += o.Examples
	t.add(o.Weight)
	t.Left += o.Left
	if t.Labels == nil {
		t.Labels = make([]float64, len(o.Labels))
	}
	for k := range min(len(t.Labels), len(o.Labels)) {
		t.Labels[k] += o.Labels[k]
	}
}

// Scale returns the factor that makes the mean weight 1, so that the learning rate keeps its meaning: see [Weighting].
func (t *Tally) Scale() float64 {
	return float64(float32(float64(t.Examples) / (t.Weight + t.Left)))
}
