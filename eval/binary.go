package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// EvaluationBinary measures several independent outputs, each a binary classifier of labels 0 and 1 (Deeplearning4j's
// EvaluationBinary). A mask of single outputs leaves out only these. A ratio of 0/0 is NaN, also in averages, except
// for the rates of false positives and negatives, which are 0 then.
//
// Set the fields before the first Eval.
type EvaluationBinary struct {
	// Labels names the outputs; if it is empty, they are numbered.
	Labels []string
	// Axis is the dimension of the outputs: 1, or the last one if sequences and images have it last.
	Axis int
	// DecisionThresholds has a threshold from 0 to 1 for each output; predictions above it are 1. nil is 0.5.
	DecisionThresholds []float32
	// ROC, unless nil, also measures the outputs; its axis is the evaluation's.
	ROC *ROCBinary

	of []tally
}

// NewEvaluationBinary returns an evaluation of outputs with these names; without names, they are numbered.
func NewEvaluationBinary(labels ...string) *EvaluationBinary {
	return &EvaluationBinary{Labels: labels, Axis: 1}
}

// New returns an empty evaluation with the same settings.
func (e *EvaluationBinary) New() Evaluator {
	n := &EvaluationBinary{Labels: e.Labels, Axis: e.Axis, DecisionThresholds: e.DecisionThresholds}
	if e.ROC != nil {
		n.ROC = &ROCBinary{e.ROC.empty()}
	}
	return n
}

// Eval adds a minibatch.
func (e *EvaluationBinary) Eval(labels, predictions, mask *tensor.Dense) error {
	r, bad := align("EvaluationBinary", labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError("EvaluationBinary", labels, predictions, mask)
	bad.Reason = outputsRefused(&r, len(e.of), e.Labels)
	if bad.Reason == "" && e.DecisionThresholds != nil && len(e.DecisionThresholds) != r.columns {
		bad.Reason = fmt.Sprintf("the evaluation has %d decision thresholds", len(e.DecisionThresholds))
	}
	if bad.Reason == "" {
		bad.Reason = e.invalid()
	}
	if bad.Reason == "" && e.ROC != nil {
		bad.Reason = outputsRefused(&r, e.ROC.Outputs(), e.ROC.Labels)
	}
	if bad.Reason != "" {
		return bad
	}
	if bad := r.checkBinary(bad); bad != nil {
		return bad
	}
	if r.allMasked() {
		return nil
	}
	if e.of == nil {
		e.of = make([]tally, r.columns)
	}
	for c := range e.of {
		e.of[c].add(r.binary(c, e.threshold(c)))
	}
	if e.ROC != nil {
		e.ROC.add(&r)
	}
	return nil
}

// invalid returns what is wrong with the settings, or an empty text.
func (e *EvaluationBinary) invalid() string {
	for _, t := range e.DecisionThresholds {
		if !(t >= 0 && t <= 1) {
			return fmt.Sprintf("the decision threshold %v is not from 0 to 1", t)
		}
	}
	return ""
}

func (e *EvaluationBinary) threshold(output int) float32 {
	if e.DecisionThresholds == nil {
		return 0.5
	}
	return e.DecisionThresholds[output]
}

// binary counts one column of rows.
func (r *rows) binary(c int, threshold float32) tally {
	var t tally
	for row := range r.count {
		if r.masked(row) || r.maskedOutput(row, c) {
			continue
		}
		i := r.at(row, c)
		switch actual, predicted := r.labels[i] == 1, r.predictions[i] > threshold; {
		case actual && predicted:
			t.tp++
		case actual:
			t.fn++
		case predicted:
			t.fp++
		default:
			t.tn++
		}
	}
	return t
}

func (t *tally) add(o tally) {
	*t = tally{t.tp + o.tp, t.fp + o.fp, t.tn + o.tn, t.fn + o.fn}
}

// Merge adds the counts of another EvaluationBinary. The order of merges makes no difference, except for an exact
// [ROC].
func (e *EvaluationBinary) Merge(other Evaluator) error {
	o, ok := other.(*EvaluationBinary)
	if !ok {
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	}
	switch {
	case len(e.Labels) > 0 && len(o.Labels) > 0 && !slices.Equal(e.Labels, o.Labels):
		return &MergeError{fmt.Sprintf("one has the outputs %q, the other %q", e.Labels, o.Labels)}
	case !slices.Equal(e.DecisionThresholds, o.DecisionThresholds):
		return &MergeError{"the decision thresholds differ"}
	case e.of != nil && o.of != nil && len(e.of) != len(o.of):
		return &MergeError{fmt.Sprintf("one has %d outputs, the other %d", len(e.of), len(o.of))}
	case (e.ROC == nil) != (o.ROC == nil):
		return &MergeError{"one has a ROC, the other does not"}
	case e.ROC != nil:
		if err := e.ROC.merge(&o.ROC.ROCs); err != nil {
			return err
		}
	}
	if len(e.Labels) == 0 {
		e.Labels = slices.Clone(o.Labels)
	}
	if e.of == nil && o.of != nil {
		e.of = make([]tally, len(o.of))
	}
	for i, t := range o.of {
		e.of[i].add(t)
	}
	return nil
}

// Outputs is the number of outputs (numLabels), 0 while it is not known.
func (e *EvaluationBinary) Outputs() int { return len(e.of) }

// TruePositives is how often 1 was predicted and the label was 1.
func (e *EvaluationBinary) TruePositives(output int) int64 { return e.of[output].tp }

// FalsePositives is how often 1 was predicted and the label was 0.
func (e *EvaluationBinary) FalsePositives(output int) int64 { return e.of[output].fp }

// TrueNegatives is how often 0 was predicted and the label was 0.
func (e *EvaluationBinary) TrueNegatives(output int) int64 { return e.of[output].tn }

// FalseNegatives is how often 0 was predicted and the label was 1.
func (e *EvaluationBinary) FalseNegatives(output int) int64 { return e.of[output].fn }

// Count is how many examples (time steps, pixels) of an output were counted (totalCount).
func (e *EvaluationBinary) Count(output int) int64 {
	t := e.of[output]
	return t.tp + t.fp + t.tn + t.fn
}

// Accuracy is (tp+tn)/(tp+fp+tn+fn).
func (e *EvaluationBinary) Accuracy(output int) float64 {
	return float64(e.of[output].tp+e.of[output].tn) / float64(e.Count(output))
}

// Precision is tp/(tp+fp).
func (e *EvaluationBinary) Precision(output int) float64 {
	return float64(e.of[output].tp) / float64(e.of[output].tp+e.of[output].fp)
}

// Recall is tp/(tp+fn).
func (e *EvaluationBinary) Recall(output int) float64 {
	return float64(e.of[output].tp) / float64(e.of[output].tp+e.of[output].fn)
}

// FBeta is (1+β²)·precision·recall/(β²·precision + recall), and 0 if precision or recall is 0.
func (e *EvaluationBinary) FBeta(beta float64, output int) float64 {
	p, r := e.Precision(output), e.Recall(output)
	if p == 0 || r == 0 {
		return 0
	}
	return (1 + beta*beta) * p * r / (beta*beta*p + r)
}

// F1 is FBeta with β = 1.
func (e *EvaluationBinary) F1(output int) float64 { return e.FBeta(1, output) }

// GMeasure is the geometric mean of precision and recall.
func (e *EvaluationBinary) GMeasure(output int) float64 {
	return math.Sqrt(e.Precision(output) * e.Recall(output))
}

// MatthewsCorrelation is (tp·tn − fp·fn)/√((tp+fp)(tp+fn)(tn+fp)(tn+fn)).
func (e *EvaluationBinary) MatthewsCorrelation(output int) float64 {
	t := e.of[output]
	tp, fp, tn, fn := float64(t.tp), float64(t.fp), float64(t.tn), float64(t.fn)
	return (tp*tn - fp*fn) / math.Sqrt((tp+fp)*(tp+fn)*(tn+fp)*(tn+fn))
}

// FalsePositiveRate is fp/(fp+tn).
func (e *EvaluationBinary) FalsePositiveRate(output int) float64 {
	x, _ := e.of[output].falsePositiveRate()
	return x
}

// FalseNegativeRate is fn/(fn+tp).
func (e *EvaluationBinary) FalseNegativeRate(output int) float64 {
	x, _ := e.of[output].falseNegativeRate()
	return x
}

// FalseAlarmRate is the mean of FalsePositiveRate and FalseNegativeRate.
func (e *EvaluationBinary) FalseAlarmRate(output int) float64 {
	return (e.FalsePositiveRate(output) + e.FalseNegativeRate(output)) / 2
}

// Average returns the mean of a figure over the outputs: e.Average(e.F1) is Deeplearning4j's averageF1.
func (e *EvaluationBinary) Average(figure func(output int) float64) float64 {
	return average(len(e.of), figure)
}

// Stats returns the table that Deeplearning4j prints.
func (e *EvaluationBinary) Stats() string {
	var b strings.Builder
	width := labelWidth(e.Labels)
	fmt.Fprintf(&b, "%-*s%-12s%-12s%-12s%-12s%-8s%-7s%-7s%-7s%-7s", width, "Label", "Accuracy", "F1",
		"Precision", "Recall",
		"Total", "TP", "TN", "FP", "FN")
	if e.ROC != nil {
		fmt.Fprintf(&b, "%-12s", "AUC")
	}
	if e.of == nil {
		return b.String() + noData
	}
	for i, t := range e.of {
		fmt.Fprintf(&b, "\n%-*s%-12s%-12s%-12s%-12s%-8d%-7d%-7d%-7d%-7d", width, outputName(e.Labels, i),
			fixed(e.Accuracy(i), 4),
			fixed(e.F1(i), 4), fixed(e.Precision(i), 4), fixed(e.Recall(i), 4), e.Count(i), t.tp, t.tn, t.fp, t.fn)
		if e.ROC != nil {
			fmt.Fprintf(&b, "%-12s", fixed(e.ROC.AUC(i), 4))
		}
	}
	if e.DecisionThresholds != nil {
		t := make([]string, len(e.DecisionThresholds))
		for i, x := range e.DecisionThresholds {
			t[i] = dl4j.FormatFloat(x)
		}
		b.WriteString("\nPer-output decision thresholds: [" + strings.Join(t, ", ") + "]")
	}
	return b.String()
}
