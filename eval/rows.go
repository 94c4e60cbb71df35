package eval

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// rows reads labels and predictions of any rank as rows of one column per class or output: one row per example,
// time step or pixel.
type rows struct {
	labels, predictions, mask []float32
	count, columns            int
	inner                     int // distance between neighbouring columns
	perExample                int // number of an example's rows that share an element of the mask; 0 if they share none
	perOutput                 bool
	steps                     int // number of steps, if rows go step by step; otherwise 0
}

// align views the labels and predictions of an evaluation as rows along axis, the dimension of the columns.
func align(evaluation string, labels, predictions, mask *tensor.Dense, axis int) (rows, *InputError) {
	bad := inputError(evaluation, labels, predictions, mask)
	if bad.Reason = missing(labels, predictions, mask); bad.Reason != "" {
		return rows{}, bad
	}
	s := labels.Shape
	switch {
	case !s.Equal(predictions.Shape):
		bad.Reason = "their shapes differ"
		return rows{}, bad
	case len(s) < 2:
		bad.Reason = "they need at least two dimensions, [batch, size]"
		return rows{}, bad
	case axis < 1 || axis >= len(s):
		bad.Reason = fmt.Sprintf("there is no dimension %d that could hold the classes: Axis is 1, or the last one", axis)
		return rows{}, bad
	}
	r := rows{labels: labels.Data, predictions: predictions.Data, columns: s[axis], inner: s[axis+1:].Size()}
	r.count = s[:axis].Size() * r.inner
	if mask == nil {
		return r, nil
	}
	if i := slices.IndexFunc(mask.Data, func(x float32) bool { return x != x }); i >= 0 {
		bad.Reason = fmt.Sprintf("the mask's element %d is NaN, which says neither that it counts nor that it does not", i)
		return rows{}, bad
	}
	r.mask = mask.Data
	positions := append(s[:axis].Clone(), s[axis+1:]...)
	kept := s.Clone()
	kept[axis] = 1
	switch m := mask.Shape; {
	case m.Equal(positions) || m.Equal(kept):
		if len(s) == 3 && axis == 1 && len(m) == 2 { // Deeplearning4j's order, which decides ties in a ROC
			r.steps = s[2]
		}
	case m.Equal(s[:1]) || m.Equal(tensor.Shape{s[0], 1}):
		r.perExample = positions[1:].Size()
	case m.Equal(s):
		r.perOutput = true
	case broadcasts(m, s):
		r.mask = broadcast(mask, s)
		r.perOutput = true
		if m[axis] == 1 { // one copy along the axis
			r.perOutput, r.mask = false, broadcast(mask, kept)
		}
	default:
		bad.Reason = fmt.Sprintf("a mask has the shape %v for examples, or %v for single outputs", s[:1], s)
		if len(positions) > 1 {
			bad.Reason = fmt.Sprintf("a mask has the shape %v for examples, %v for positions, or %v for single outputs",
				s[:1], positions, s)
		}
		return rows{}, bad
	}
	return r, nil
}

// missing returns what is missing: an array, or part of its numbers.
func missing(labels, predictions, mask *tensor.Dense) string {
	wrong := func(a *tensor.Dense) bool {
		n, err := a.Shape.CheckedSize(math.MaxInt)
		return err != nil || n != len(a.Data)
	}
	const not = "%d numbers, which is not what the shape stands for"
	switch {
	case labels == nil:
		return "there are no labels"
	case predictions == nil:
		return "there are no predictions"
	case wrong(labels):
		return fmt.Sprintf("the labels have "+not, len(labels.Data))
	case wrong(predictions):
		return fmt.Sprintf("the predictions have "+not, len(predictions.Data))
	case mask != nil && wrong(mask):
		return fmt.Sprintf("the mask has "+not, len(mask.Data))
	}
	return ""
}

// broadcasts reports whether m has the rank of s, at least four, and along each dimension the same extent or 1.
func broadcasts(m, s tensor.Shape) bool {
	if len(m) != len(s) || len(s) < 4 {
		return false
	}
	for i := range m {
		if m[i] != 1 && m[i] != s[i] {
			return false
		}
	}
	return true
}

// broadcast repeats a mask along the dimensions of extent 1.
func broadcast(mask *tensor.Dense, to tensor.Shape) []float32 {
	out := make([]float32, to.Size())
	for i := range out {
		from, stride, rest := 0, 1, i
		for d := len(to) - 1; d >= 0; d-- {
			if mask.Shape[d] > 1 {
				from += rest % to[d] * stride
			}
			rest /= to[d]
			stride *= mask.Shape[d]
		}
		out[i] = mask.Data[from]
	}
	return out
}

// position returns the index of a row among the positions of the examples.
func (r *rows) position(row int) int {
	if r.steps == 0 {
		return row
	}
	examples := r.count / r.steps
	return row%examples*r.steps + row/examples
}

// at returns the index of a column of a row.
func (r *rows) at(row, column int) int {
	if r.inner == 1 {
		return row*r.columns + column
	}
	row = r.position(row)
	return (row/r.inner*r.columns+column)*r.inner + row%r.inner
}

// masked reports whether the row is left out.
func (r *rows) masked(row int) bool {
	switch {
	case r.mask == nil || r.perOutput:
		return false
	case r.perExample > 0:
		return r.mask[row/r.perExample] == 0
	}
	return r.mask[r.position(row)] == 0
}

// allMasked reports whether every row is left out.
func (r *rows) allMasked() bool {
	if r.mask == nil || r.perOutput {
		return false
	}
	return !slices.ContainsFunc(r.mask, func(x float32) bool { return x != 0 })
}

// maskedOutput reports whether a column of a row is left out.
func (r *rows) maskedOutput(row, column int) bool {
	return r.perOutput && r.mask[r.at(row, column)] == 0
}

// inputError returns an error about these arrays, without its reason.
func inputError(evaluation string, labels, predictions, mask *tensor.Dense) *InputError {
	shape := func(a *tensor.Dense) tensor.Shape {
		if a == nil {
			return nil
		}
		return a.Shape
	}
	return &InputError{Evaluation: evaluation, Labels: shape(labels), Predictions: shape(predictions), Mask: shape(mask)}
}

// checkBinary is check with the condition that labels are 0 or 1.
func (r *rows) checkBinary(bad *InputError) *InputError {
	if bad := r.check(bad); bad != nil {
		return bad
	}
	if r.mask == nil && !slices.ContainsFunc(r.labels, func(x float32) bool { return x != 0 && x != 1 }) {
		return nil
	}
	for row := range r.count {
		for c := range r.columns {
			if r.masked(row) || r.maskedOutput(row, c) {
				continue
			}
			if x := r.labels[r.at(row, c)]; x != 0 && x != 1 {
				bad.Reason = fmt.Sprintf("the label in row %d, column %d is %g, not 0 or 1", row, c, x)
				return bad
			}
		}
	}
	return nil
}

// check looks for NaN in the values that are not masked.
func (r *rows) check(bad *InputError) *InputError {
	isNaN := func(x float32) bool { return x != x }
	if r.mask == nil && !slices.ContainsFunc(r.labels, isNaN) && !slices.ContainsFunc(r.predictions, isNaN) {
		return nil
	}
	for row := range r.count {
		if r.masked(row) {
			continue
		}
		for c := range r.columns {
			if r.maskedOutput(row, c) {
				continue
			}
			i := r.at(row, c)
			name := "predictions"
			switch p, l := r.predictions[i], r.labels[i]; {
			case p == p && l == l:
				continue
			case p == p:
				name = "labels"
			}
			bad.Reason = fmt.Sprintf("the %s have NaN in row %d, column %d", name, row, c)
			return bad
		}
	}
	return nil
}

// argmax returns the first column with the row's largest value. Unless scale is nil, the values are weighted by it.
func (r *rows) argmax(of []float32, row int, scale []float32) int {
	best, index := math.Inf(-1), 0
	for c := range r.columns {
		x := float64(of[r.at(row, c)])
		if scale != nil {
			x *= float64(scale[c])
		}
		if x > best {
			best, index = x, c
		}
	}
	return index
}
