package eval

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/tensor"
)

// rows reads labels and predictions of any rank as rows of one column per class or output: one row per example,
// time step or pixel.
type rows struct {
	labels, predictions, mask []float32
	count, columns            int
	inner                     int // distance between neighbouring columns
	perExample                int // rows of an example that share an element of the mask; 0 where they do not
	perOutput                 bool
}

// align lays labels and predictions out along axis, the dimension of the columns.
func align(labels, predictions, mask *tensor.Dense, axis int) (rows, *InputError) {
	bad := inputError(labels, predictions, mask)
	s := labels.Shape
	switch {
	case !s.Equal(predictions.Shape):
		bad.Reason = "their shapes differ"
		return rows{}, bad
	case len(s) < 2:
		bad.Reason = "they need at least two dimensions, [batch, size]"
		return rows{}, bad
	case axis < 1 || axis >= len(s):
		bad.Reason = fmt.Sprintf("there is no dimension %d that could hold the classes", axis)
		return rows{}, bad
	}
	r := rows{labels: labels.Data, predictions: predictions.Data, columns: s[axis], inner: s[axis+1:].Size()}
	r.count = s[:axis].Size() * r.inner
	if mask == nil {
		return r, nil
	}
	r.mask = mask.Data
	positions := append(s[:axis].Clone(), s[axis+1:]...)
	kept := s.Clone()
	kept[axis] = 1
	switch m := mask.Shape; {
	case m.Equal(positions) || m.Equal(kept):
	case m.Equal(s[:1]) || m.Equal(tensor.Shape{s[0], 1}):
		r.perExample = positions[1:].Size()
	case m.Equal(s):
		r.perOutput = true
	default:
		bad.Reason = fmt.Sprintf("a mask is of shape %v or %v or %v", s[:1], positions, s)
		return rows{}, bad
	}
	return r, nil
}

// at gives the index of a column of a row.
func (r *rows) at(row, column int) int {
	return (row/r.inner*r.columns+column)*r.inner + row%r.inner
}

// masked says that the row is left out.
func (r *rows) masked(row int) bool {
	switch {
	case r.mask == nil || r.perOutput:
		return false
	case r.perExample > 0:
		return r.mask[row/r.perExample] == 0
	}
	return r.mask[row] == 0
}

// maskedOutput says that a column of a row is left out.
func (r *rows) maskedOutput(row, column int) bool {
	return r.perOutput && r.mask[r.at(row, column)] == 0
}

// inputError is an error about these arrays, without its reason.
func inputError(labels, predictions, mask *tensor.Dense) *InputError {
	bad := &InputError{Labels: labels.Shape, Predictions: predictions.Shape}
	if mask != nil {
		bad.Mask = mask.Shape
	}
	return bad
}

// checkBinary is check, for labels that are 0 or 1.
func (r *rows) checkBinary(bad *InputError) *InputError {
	if bad := r.check(bad); bad != nil {
		return bad
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

// check looks for NaN in what is not masked.
func (r *rows) check(bad *InputError) *InputError {
	for row := range r.count {
		if r.masked(row) {
			continue
		}
		for c := range r.columns {
			if r.maskedOutput(row, c) {
				continue
			}
			i := r.at(row, c)
			for _, x := range [...]struct {
				name string
				of   float32
			}{{"predictions", r.predictions[i]}, {"labels", r.labels[i]}} {
				if math.IsNaN(float64(x.of)) {
					bad.Reason = fmt.Sprintf("the %s have NaN in row %d, column %d", x.name, row, c)
					return bad
				}
			}
		}
	}
	return nil
}

// argmax gives the first column that holds the row's largest value, each weighted by scale unless that is nil.
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
