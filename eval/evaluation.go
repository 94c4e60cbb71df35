package eval

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/dl4go/dl4go/tensor"
)

// Evaluation measures classification (Deeplearning4j's Evaluation). The class of an example is the largest column of
// its labels. The predicted class is the largest prediction, and the first of equal ones. With a single column, a
// prediction above the threshold means class 1; the threshold is 0.5 or BinaryDecisionThreshold. If that is set, it
// also applies to the second of two columns. Masks of single outputs are refused.
//
// A ratio of 0/0 counts as 0, with two exceptions. Macro averages leave out undefined precisions, recalls and
// F-scores. A Matthews correlation of 0/0, and the average F-score of no class, are NaN. Deeplearning4j differs: in
// masks of time series, only 1 means present; here any value but 0 does.
//
// Set the fields before the first Eval.
type Evaluation struct {
	// Labels names the classes. If it is empty, the first minibatch sets their number, and they are named "0", "1", ….
	Labels []string
	// TopN is for TopNAccuracy, which counts a prediction as correct if fewer than TopN classes are more probable than the
	// label.
	TopN int
	// Axis is the dimension of the classes: 1, or the last one if sequences and images have it last.
	Axis int
	// BinaryPositiveClass is the class whose precision, recall and F1 are reported if there are two classes; nil
	// reports averages.
	BinaryPositiveClass *int
	// BinaryDecisionThreshold decides between two classes, as a float32; nil is 0.5, or the larger of two columns.
	BinaryDecisionThreshold *float64
	// CostArray multiplies the predictions, class by class; nil means no cost array.
	CostArray []float32
	// MaxWarningClassesToPrint bounds the list of classes without predictions in Stats.
	MaxWarningClassesToPrint int

	counts                    map[cell]int64
	rows                      int64
	topNCorrect, topNExamples int64
	single                    bool // rows of a single column were counted: then counters of 0 are in files too
}

// cell is a place in the confusion matrix.
type cell struct{ actual, predicted int }

// NewEvaluation returns an evaluation for this number of classes. With 0, the first minibatch sets the number. As in
// Deeplearning4j, precision, recall and F1 are those of class 1 if there are two classes.
func NewEvaluation(classes int) *Evaluation {
	one := 1
	e := &Evaluation{TopN: 1, Axis: 1, BinaryPositiveClass: &one, MaxWarningClassesToPrint: 16, counts: map[cell]int64{}}
	if classes > 0 {
		e.Labels = defaultLabels(classes)
	}
	if classes > 2 {
		e.BinaryPositiveClass = nil
	}
	return e
}

func defaultLabels(columns int) []string {
	if columns == 1 {
		columns = 2
	}
	labels := make([]string, columns)
	for i := range labels {
		labels[i] = strconv.Itoa(i)
	}
	return labels
}

// New returns an empty evaluation with the same settings.
func (e *Evaluation) New() Evaluator {
	n := *e
	n.counts, n.rows, n.topNCorrect, n.topNExamples, n.single = map[cell]int64{}, 0, 0, 0, false
	return &n
}

// Eval adds a minibatch.
func (e *Evaluation) Eval(labels, predictions, mask *tensor.Dense) error {
	r, bad := align("Evaluation", labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError("Evaluation", labels, predictions, mask)
	if bad.Reason = e.refuses(&r); bad.Reason != "" {
		return bad
	}
	if bad := r.check(bad); bad != nil {
		return bad
	}
	if r.allMasked() {
		return nil
	}
	if len(e.Labels) == 0 {
		e.Labels = defaultLabels(r.columns)
	}
	if e.counts == nil {
		e.counts = map[cell]int64{}
	}
	e.single = e.single || r.columns == 1
	for row := range r.count {
		if !r.masked(row) {
			e.add(&r, row)
		}
	}
	return nil
}

// refuses returns why rows cannot be evaluated, or an empty text.
func (e *Evaluation) refuses(r *rows) string {
	classes := max(r.columns, 2)
	switch {
	case r.perOutput:
		return "classification has no masks of single outputs"
	case r.columns == 0:
		return "there are no classes"
	case len(e.Labels) > 0 && len(e.Labels) != classes:
		return fmt.Sprintf("the evaluation has %d classes", len(e.Labels))
	case e.BinaryDecisionThreshold != nil && classes != 2:
		return "a decision threshold needs two classes"
	case e.CostArray != nil && len(e.CostArray) != r.columns:
		return fmt.Sprintf("the cost array has %d elements", len(e.CostArray))
	}
	return e.invalid()
}

// invalid returns what is wrong with the settings, or an empty text.
func (e *Evaluation) invalid() string {
	switch {
	case slices.ContainsFunc(e.CostArray, func(x float32) bool { return !(x >= 0) }):
		return "the cost array has an element that is not 0 or more"
	case e.BinaryPositiveClass != nil && *e.BinaryPositiveClass != 0 && *e.BinaryPositiveClass != 1:
		return fmt.Sprintf("the positive class is %d, not 0 or 1", *e.BinaryPositiveClass)
	case e.BinaryDecisionThreshold != nil && math.IsNaN(*e.BinaryDecisionThreshold):
		return "the decision threshold is NaN"
	}
	return ""
}

func (e *Evaluation) add(r *rows, row int) {
	var c cell
	switch {
	case r.columns == 1:
		i := r.at(row, 0)
		c = cell{above(r.labels[i], nil), above(r.predictions[i], e.BinaryDecisionThreshold)}
	case e.BinaryDecisionThreshold != nil:
		c = cell{r.argmax(r.labels, row, nil), above(r.predictions[r.at(row, 1)], e.BinaryDecisionThreshold)}
	default:
		c = cell{r.argmax(r.labels, row, nil), r.argmax(r.predictions, row, e.CostArray)}
	}
	e.counts[c]++
	e.rows++
	if r.columns == 1 || e.TopN <= 1 {
		return
	}
	larger := 0
	for k := range r.columns {
		if r.predictions[r.at(row, k)] > r.predictions[r.at(row, c.actual)] {
			larger++
		}
	}
	if larger < e.TopN {
		e.topNCorrect++
	}
	e.topNExamples++
}

func above(x float32, threshold *float64) int {
	limit := float32(0.5)
	if threshold != nil {
		limit = float32(*threshold)
	}
	if x > limit {
		return 1
	}
	return 0
}

// Merge adds the counts of another Evaluation. The order of merges makes no difference.
func (e *Evaluation) Merge(other Evaluator) error {
	o, ok := other.(*Evaluation)
	switch {
	case !ok:
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	case max(e.TopN, 1) != max(o.TopN, 1):
		return &MergeError{fmt.Sprintf("one is of the top %d, the other of the top %d", e.TopN, o.TopN)}
	case len(e.Labels) > 0 && len(o.Labels) > 0 && !slices.Equal(e.Labels, o.Labels):
		return &MergeError{fmt.Sprintf("one has the classes %q, the other %q", e.Labels, o.Labels)}
	case !same(e.BinaryPositiveClass, o.BinaryPositiveClass), !same(e.BinaryDecisionThreshold, o.BinaryDecisionThreshold),
		!slices.Equal(e.CostArray, o.CostArray):
		return &MergeError{"positive class, decision threshold or cost array differ"}
	}
	if len(e.Labels) == 0 {
		e.Labels = slices.Clone(o.Labels)
	}
	if e.counts == nil {
		e.counts = map[cell]int64{}
	}
	for c, n := range o.counts {
		e.counts[c] += n
	}
	e.rows += o.rows
	e.topNCorrect += o.topNCorrect
	e.topNExamples += o.topNExamples
	e.single = e.single || o.single
	return nil
}

func same[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// cells returns the nonzero cells, ordered by actual, then by predicted class.
func (e *Evaluation) cells() []cell {
	return slices.SortedFunc(maps.Keys(e.counts), func(a, b cell) int {
		return cmp.Or(cmp.Compare(a.actual, b.actual), cmp.Compare(a.predicted, b.predicted))
	})
}
