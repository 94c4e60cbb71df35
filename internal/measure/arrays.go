package measure

import (
	"context"
	"errors"
	"fmt"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/tensor"
)

// The names of the arrays.
const (
	ofPredictions = "predictions"
	ofLabels      = "labels"
	ofMask        = "mask"
)

// Arrays are the predictions and the labels of examples, in .npy files, with a mask of the values that count.
type Arrays struct {
	Predictions, Labels string // paths
	Mask                string // empty: all values count

	predictions, labels, mask *tensor.Dense
}

// ArrayError is an error about one of the arrays.
type ArrayError struct {
	Array string // predictions, labels or mask
	Err   error
}

// Error names the array.
func (e *ArrayError) Error() string { return e.Array + ": " + e.Err.Error() }
func (e *ArrayError) Unwrap() error { return e.Err }

// Read reads the files. The labels must have the shape [examples, outputs].
func (a *Arrays) Read(ctx context.Context) (err error) {
	for _, f := range []struct {
		name, path string
		to         **tensor.Dense
	}{{ofPredictions, a.Predictions, &a.predictions}, {ofLabels, a.Labels, &a.labels}, {ofMask, a.Mask, &a.mask}} {
		if f.path == "" {
			continue
		}
		if *f.to, err = npy.ReadFile(ctx, f.path); err != nil {
			return &ArrayError{f.name, err}
		}
		if x := *f.to; len(x.Shape) == 1 && f.name != ofMask { // a single output
			x.Shape = tensor.Shape{x.Shape[0], 1}
		}
	}
	l, p := a.labels.Shape, a.predictions.Shape
	if len(l) < 2 || l[0] == 0 {
		return &ArrayError{ofLabels, fmt.Errorf(
			"%s has the shape %v: [examples, outputs] are expected, and at least one example", a.Labels, l)}
	}
	if len(l) == 2 && l[1] == 1 && len(p) == 2 && p[0] == l[0] && p[1] > 1 {
		return &ArrayError{ofLabels, fmt.Errorf("%s has one column, where --predictions has %d: labels have a column for "+
			"each class, 1 for the right one and 0 else", a.Labels, p[1])}
	}
	return nil
}

// Examples returns the number of examples.
func (a *Arrays) Examples() int { return a.labels.Shape[0] }

// Outputs returns the number of columns of the labels.
func (a *Arrays) Outputs() int { return a.labels.Shape[1] }

// Evaluate adds the arrays to evaluations.
func (a *Arrays) Evaluate(evals []eval.Evaluator) error {
	for _, e := range evals {
		if err := e.Eval(a.labels, a.predictions, a.mask); err != nil {
			return fmt.Errorf("%s: %w", a.Predictions, err)
		}
	}
	if err := eval.CheckCounted(evals...); err != nil {
		return &ArrayError{ofMask, fmt.Errorf("%s: %w", a.Mask, err)}
	}
	return nil
}

// Look adds the examples to cases, without features, which are not known.
func (a *Arrays) Look(cases []*eval.Cases) {
	for _, c := range cases {
		for i := 0; i < a.labels.Shape[0] && !c.Full(); i++ {
			var mask *tensor.Dense
			if a.mask != nil {
				mask = a.mask.Slice(i, i+1)
			}
			c.Add("", a.labels.Slice(i, i+1), a.predictions.Slice(i, i+1), mask)
		}
	}
}

// Report reads the arrays, evaluates them by the types, and prints, saves and draws the evaluations. It returns their
// part of --json. Errors name flags.
func (a *Arrays) Report(ctx context.Context, out *console.Output, o *Output, s Settings, f Files) (console.Event,
	error) {
	if err := a.Read(ctx); err != nil {
		return nil, named(err)
	}
	all := []*Output{o}
	Begin(all, s, a.Outputs(), nil)
	if err := a.Evaluate(o.Evals); err != nil {
		return nil, named(err)
	}
	a.Look(f.Cases(all, source.Info{}))
	ev, err := Report(ctx, out, a.Predictions, all, f)
	if err != nil {
		return nil, err
	}
	ev["predictions"], ev["labels"], ev["examples"] = a.Predictions, a.Labels, a.Examples()
	return ev, nil
}

// named replaces the array's name in an error by its flag.
func named(err error) error {
	if wrong := (*ArrayError)(nil); errors.As(err, &wrong) {
		return fmt.Errorf("--%s: %w", wrong.Array, wrong.Err)
	}
	return err
}
