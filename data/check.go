package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/dl4go/dl4go/tensor"
)

// ShapeError means that the shape of an array of a data set is wrong, or does not fit the others.
type ShapeError struct {
	Array   string       // "features", "labels 1", "feature mask", …
	Shape   tensor.Shape // its actual shape
	Problem string
}

func (e *ShapeError) Error() string {
	return fmt.Sprintf("%s of shape %v: %s", e.Array, e.Shape, e.Problem)
}

// ValueError means that a number of a data set is not finite.
type ValueError struct {
	Array   string  // as in ShapeError
	Example int     // counted from 0
	Column  int     // index among the example's elements, in C order, counted from 0
	Value   float32 // NaN or an infinity
}

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s: example %d has %v in column %d (both counted from 0)", e.Array, e.Example, e.Value, e.Column)
}

// Validate checks that there are features, that all arrays have the same number of examples (labels may have a multiple
// of it), and that masks and weights fit. Errors are *[ShapeError]s.
func (m *MultiDataSet) Validate() error {
	if len(m.Features) == 0 {
		return &ShapeError{"features", nil, "there are none"}
	}
	n := -1
	check := func(what string, arrays, masks []*tensor.Dense) error {
		for i, a := range arrays {
			name := func() string { return arrayName(what+"s", i, len(arrays)) }
			if a == nil {
				return &ShapeError{name(), nil, "the array is missing"}
			}
			if len(a.Shape) < 2 {
				return &ShapeError{name(), a.Shape, "there should be two dimensions at least, examples first"}
			}
			if problem := sizeProblem(a); problem != "" {
				return &ShapeError{name(), a.Shape, problem}
			}
			if n < 0 {
				n = a.Shape[0]
			}
			times := what == "label" && n > 0 && a.Shape[0] > n && a.Shape[0]%n == 0
			if a.Shape[0] != n && !times {
				return &ShapeError{name(), a.Shape, fmt.Sprintf("there are %d examples, not %d", n, a.Shape[0])}
			}
			if mask := maskOf(masks, i); mask != nil {
				problem := maskProblem(a.Shape, mask.Shape)
				if problem == "" {
					problem = sizeProblem(mask)
				}
				if problem != "" {
					return &ShapeError{arrayName(what+" mask", i, len(arrays)), mask.Shape, problem}
				}
			}
		}
		if masks != nil && len(masks) != len(arrays) {
			return &ShapeError{what + " masks", nil, fmt.Sprintf("there are %d for %d arrays", len(masks), len(arrays))}
		}
		return nil
	}
	if err := check("feature", m.Features, m.FeatureMasks); err != nil {
		return err
	}
	if err := check("label", m.Labels, m.LabelMasks); err != nil {
		return err
	}
	if w := m.Weights; w != nil {
		if want := (tensor.Shape{n, 1}); !w.Shape.Equal(want) || len(w.Data) != n {
			return &ShapeError{"weights", w.Shape, fmt.Sprintf("there are %d examples: it should be %v", n, want)}
		}
	}
	if m.Meta != nil && len(m.Meta) != n {
		return &ShapeError{"metadata", tensor.Shape{len(m.Meta)}, fmt.Sprintf("there are %d examples", n)}
	}
	return nil
}

// sizeProblem returns why an array's shape does not fit its data, or an empty text.
func sizeProblem(a *tensor.Dense) string {
	if n, err := a.Shape.CheckedSize(math.MaxInt); err != nil {
		return err.Error()
	} else if n != len(a.Data) {
		return fmt.Sprintf("it stands for %d numbers, and there are %d", n, len(a.Data))
	}
	return ""
}

// maskProblem says why a mask does not fit an array: it has the examples and one value for each, or for each time
// step, or for each element along the dimensions that it spans.
func maskProblem(array, mask tensor.Shape) string {
	if len(mask) < 2 || mask[0] != array[0] {
		return fmt.Sprintf("a mask of the array %v should have %d rows and two dimensions at least", array, array[0])
	}
	if len(mask) == 2 {
		if mask[1] == 1 || mask[1] == array[len(array)-1] && len(array) <= 3 || mask[1] == array[1] && len(array) == 3 {
			return "" // sequences are [rows, size, steps] or [rows, steps, size]
		}
		if len(array) == 3 {
			return fmt.Sprintf("a mask of the array %v should be [%d, 1], [%d, %d], or [%d, %d] if its steps are in dimension 1",
				array, array[0], array[0], array[2], array[0], array[1])
		}
		return fmt.Sprintf("a mask of the array %v should be [%d, 1] or [%d, %d]",
			array, array[0], array[0], array[len(array)-1])
	}
	if len(mask) != len(array) {
		return fmt.Sprintf("a mask of the array %v should have 2 or %d dimensions", array, len(array))
	}
	last := len(array) - 1
	if last > 2 && spans(mask, slices.Insert(slices.Clone(array[:last]), 1, array[last])) < 0 {
		return "" // of images whose channels are last, with the channels in dimension 1
	}
	if i := spans(mask, array); i >= 0 {
		return fmt.Sprintf("a mask of the array %v should have the extent %d or 1 in dimension %d", array, array[i], i)
	}
	return ""
}

// spans returns the first dimension in which the mask has neither the array's extent nor 1; -1 if there is none.
func spans(mask, array tensor.Shape) int {
	for i, d := range mask {
		if d != array[i] && d != 1 {
			return i
		}
	}
	return -1
}

// CheckFinite looks for NaN and infinities, and returns the first one as a ValueError.
func (m *MultiDataSet) CheckFinite() error {
	for _, l := range []struct {
		name string
		list []*tensor.Dense
	}{{"features", m.Features}, {"labels", m.Labels}, {"feature mask", m.FeatureMasks}, {"label mask", m.LabelMasks},
		{"weights", []*tensor.Dense{m.Weights}}} {
		for i, a := range l.list {
			if a == nil {
				continue
			}
			if at := firstNotFinite(a.Data); at >= 0 {
				n := a.RowSize()
				return &ValueError{arrayName(l.name, i, len(l.list)), at / n, at % n, a.Data[at]}
			}
		}
	}
	return nil
}

func firstNotFinite(x []float32) int {
	const exponent = 0x7f800000
	for i, v := range x {
		if math.Float32bits(v)&exponent == exponent {
			return i
		}
	}
	return -1
}

func arrayName(what string, i, n int) string {
	if n == 1 {
		return what
	}
	return fmt.Sprintf("%s %d", what, i)
}
