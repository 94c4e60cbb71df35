package external

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/tensor"
)

// Within is an evaluation: the share of predictions that are at most Tolerance away from their labels.
type Within struct {
	Tolerance float64 `dl4j:"tolerance"`
	Hits      int64   `dl4j:"hits"`
	Count     int64   `dl4j:"count"`
}

func init() {
	eval.Classes.Register("com.example.Within", func() eval.Evaluator { return &Within{} })
}

// Share is the result; NaN if nothing was counted.
func (w *Within) Share() float64 { return float64(w.Hits) / float64(w.Count) }

// Eval adds a minibatch [batch, size]. A mask [batch, 1] leaves rows out.
func (w *Within) Eval(labels, predictions, mask *tensor.Dense) error {
	rows := len(labels.Shape) == 2 && labels.Shape.Equal(predictions.Shape)
	if !rows || mask != nil && mask.Shape.Size() != labels.Shape[0] {
		return &eval.InputError{Evaluation: "Within", Labels: labels.Shape, Predictions: predictions.Shape,
			Reason: "it takes rows, with a mask of rows"}
	}
	for i, y := range labels.Data {
		if mask != nil && mask.Data[i/labels.Shape[1]] == 0 {
			continue
		}
		w.Count++
		if math.Abs(float64(predictions.Data[i]-y)) <= w.Tolerance {
			w.Hits++
		}
	}
	return nil
}

// Merge adds what another worker has seen.
func (w *Within) Merge(other eval.Evaluator) error {
	o, ok := other.(*Within)
	if !ok || o.Tolerance != w.Tolerance {
		return &eval.MergeError{Reason: fmt.Sprintf("%T with tolerance %g, and %T", w, w.Tolerance, other)}
	}
	w.Hits, w.Count = w.Hits+o.Hits, w.Count+o.Count
	return nil
}

// New gives an empty evaluation with the same tolerance.
func (w *Within) New() eval.Evaluator { return &Within{Tolerance: w.Tolerance} }

// Stats is the report.
func (w *Within) Stats() string {
	return fmt.Sprintf("%d of %d within %g", w.Hits, w.Count, w.Tolerance)
}

// Empty says that nothing was counted.
func (w *Within) Empty() bool { return w.Count == 0 }
