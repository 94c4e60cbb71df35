package eval

import (
	"fmt"
	"math"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// ROC is the receiver operating characteristic of a binary classifier (Deeplearning4j's ROC). Labels and predictions
// have one column, the probability of class 1, or two. Labels are 0 or 1; Deeplearning4j accepts others, with counts
// that depend on the minibatches. Masks of single outputs are refused.
//
// With ThresholdSteps 0 it is exact: it keeps every example (33 bits), and each is a point of the curves, in the order
// of the predictions. Equal predictions keep the order in which they were added. They form single steps of the curve,
// not a diagonal, so the area depends on that order. The data of a merged evaluation counts as added last. With
// ThresholdSteps, the order has no effect.
//
// Set the fields before the first Eval.
type ROC struct {
	// ThresholdSteps is the number of equal steps from 0 to 1 at which predictions are counted; 0 means exact.
	ThresholdSteps int
	// KeepRedundant keeps the points in exact curves that do not change the area.
	KeepRedundant bool
	// Axis is the dimension of the columns: 1, or the last one if sequences and images have it last.
	Axis int

	positives, negatives, examples int64
	// with steps: for each threshold, how many negatives and positives reach it and no higher one
	highest [][2]int64
	kept    examples   // exact
	areas   *rocAreas  // of an exact ROC's curves, once they are computed
	curves  *rocCurves // of an exact ROC that was read from a file, without examples
}

// NewROC makes a ROC with this number of thresholds; 0 is exact.
func NewROC(thresholdSteps int) *ROC { return &ROC{ThresholdSteps: max(thresholdSteps, 0), Axis: 1} }

// New returns an empty evaluation with the same settings.
func (e *ROC) New() Evaluator {
	return &ROC{ThresholdSteps: e.ThresholdSteps, KeepRedundant: e.KeepRedundant, Axis: e.Axis}
}

// Eval adds a minibatch.
func (e *ROC) Eval(labels, predictions, mask *tensor.Dense) error {
	r, bad := align("ROC", labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError("ROC", labels, predictions, mask)
	switch {
	case r.perOutput:
		bad.Reason = "a ROC has no masks of single outputs"
		return bad
	case r.columns != 1 && r.columns != 2:
		bad.Reason = fmt.Sprintf("a ROC is of one or two columns, not %d; ROCBinary and ROCMultiClass are of more", r.columns)
		return bad
	}
	if bad := r.checkBinary(bad); bad != nil {
		return bad
	}
	for row := range r.count {
		if r.masked(row) {
			continue
		}
		i := r.at(row, r.columns-1)
		positive := r.labels[i] == 1
		negative := !positive
		if e.ThresholdSteps > 0 && r.columns == 2 {
			negative = r.labels[r.at(row, 0)] == 1
		}
		e.add(r.predictions[i], positive, negative)
	}
	return nil
}

// addColumn adds an output of some of the rows.
func (e *ROC) addColumn(r *rows, c, from, to int) {
	for row := from; row < to; row++ {
		if r.masked(row) || r.maskedOutput(row, c) {
			continue
		}
		i := r.at(row, c)
		e.add(r.predictions[i], r.labels[i] == 1, r.labels[i] != 1)
	}
}

func (e *ROC) add(probability float32, positive, negative bool) {
	e.curves, e.areas = nil, nil
	e.examples++
	if positive {
		e.positives++
	}
	if negative {
		e.negatives++
	}
	if e.ThresholdSteps == 0 {
		e.kept.add(probability, positive)
		return
	}
	if e.highest == nil {
		e.highest = make([][2]int64, e.ThresholdSteps+1)
	}
	at := e.reached(probability)
	if at < 0 {
		return
	}
	if positive {
		e.highest[at][1]++
	}
	if negative {
		e.highest[at][0]++
	}
}

// threshold returns the threshold of a step.
func (e *ROC) threshold(step int) float64 { return float64(step) * (1 / float64(e.ThresholdSteps)) }

// reached returns the highest step at which a probability is predicted as class 1: it is at least the threshold, as a
// float32, and the threshold is below 1. It returns −1 if there is none.
func (e *ROC) reached(probability float32) int {
	step := int(min(max(float64(probability), 0), 1)*float64(e.ThresholdSteps)) + 1
	for step = min(step, e.ThresholdSteps); step >= 0; step-- {
		if t := float32(e.threshold(step)); probability >= t && t < 1 {
			break
		}
	}
	return step
}

// at returns the true and false positives at each step.
func (e *ROC) at() (tp, fp []int64) {
	tp, fp = make([]int64, e.ThresholdSteps+1), make([]int64, e.ThresholdSteps+1)
	var sum [2]int64
	for i := e.ThresholdSteps; i >= 0; i-- {
		if e.highest != nil {
			sum[0] += e.highest[i][0]
			sum[1] += e.highest[i][1]
		}
		fp[i], tp[i] = sum[0], sum[1]
	}
	return tp, fp
}

// Merge adds the data of another ROC, as if it came after the data of this one. An exact ROC that was read from JSON
// has curves without examples, and can only be merged with an empty one.
func (e *ROC) Merge(other Evaluator) error {
	o, ok := other.(*ROC)
	if !ok {
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	}
	if err := e.mergeable(o); err != nil {
		return err
	}
	e.merge(o)
	return nil
}

func (e *ROC) mergeable(o *ROC) error {
	switch {
	case e.ThresholdSteps != o.ThresholdSteps:
		return &MergeError{fmt.Sprintf("one has %d threshold steps, the other %d", e.ThresholdSteps, o.ThresholdSteps)}
	case e.KeepRedundant != o.KeepRedundant:
		return &MergeError{"one removes redundant points, the other does not"}
	case e.examples > 0 && o.examples > 0 && (e.summary() || o.summary()):
		return &MergeError{"an exact ROC from JSON has its curves only, not its examples; Encode keeps them"}
	}
	return nil
}

// summary reports whether the ROC has curves without examples.
func (e *ROC) summary() bool { return e.ThresholdSteps == 0 && int64(e.kept.count) != e.examples }

func (e *ROC) merge(o *ROC) {
	if o.examples == 0 {
		return
	}
	e.curves, e.areas = nil, nil
	if o.summary() {
		e.curves = o.curves
	}
	e.positives += o.positives
	e.negatives += o.negatives
	e.examples += o.examples
	e.kept.merge(&o.kept)
	if o.highest == nil {
		return
	}
	if e.highest == nil {
		e.highest = make([][2]int64, len(o.highest))
	}
	for i, n := range o.highest {
		e.highest[i][0] += n[0]
		e.highest[i][1] += n[1]
	}
}

// Examples is the number of examples (time steps, pixels) that were counted.
func (e *ROC) Examples() int64 { return e.examples }

// Positives is the number of examples of class 1 (getCountActualPositive).
func (e *ROC) Positives() int64 { return e.positives }

// Negatives is the number of examples of class 0 (getCountActualNegative).
func (e *ROC) Negatives() int64 { return e.negatives }

// AUC is the area under the ROC curve (calculateAUC); NaN without examples, or without any of one class.
func (e *ROC) AUC() float64 {
	switch {
	case e.examples == 0:
		return math.NaN()
	case e.ThresholdSteps == 0:
		return e.exactAreas().roc
	}
	return e.RocCurve().AUC()
}

// AUCPR is the area under the precision-recall curve (calculateAUCPR); NaN without examples.
func (e *ROC) AUCPR() float64 {
	switch {
	case e.examples == 0:
		return math.NaN()
	case e.ThresholdSteps == 0:
		return e.exactAreas().pr
	}
	return e.PrecisionRecallCurve().AUCPR()
}

// RocCurve returns the curve; it has no points if there are no examples. An exact curve is computed in each call.
func (e *ROC) RocCurve() *RocCurve {
	switch {
	case e.examples == 0:
		return &RocCurve{}
	case e.ThresholdSteps == 0:
		return e.exactCurves().roc
	}
	c := &RocCurve{}
	tp, fp := e.at()
	for i := range tp {
		c.Threshold = append(c.Threshold, e.threshold(i))
		c.FPR = append(c.FPR, float64(fp[i])/float64(e.negatives))
		c.TPR = append(c.TPR, float64(tp[i])/float64(e.positives))
	}
	return c
}

// PrecisionRecallCurve returns the curve; it has no points if there are no examples. An exact curve is computed in
// each call.
func (e *ROC) PrecisionRecallCurve() *PrecisionRecallCurve {
	switch {
	case e.examples == 0:
		return &PrecisionRecallCurve{}
	case e.ThresholdSteps == 0:
		return e.exactCurves().pr
	}
	c := &PrecisionRecallCurve{Total: e.examples}
	tp, fp := e.at()
	for i := range tp {
		precision, recall := 1.0, 1.0
		if tp[i]+fp[i] > 0 {
			precision = float64(tp[i]) / float64(tp[i]+fp[i])
		}
		if e.positives > 0 {
			recall = float64(tp[i]) / float64(e.positives)
		}
		c.add(e.threshold(i), precision, recall, [3]int64{tp[i], fp[i], e.positives - tp[i]})
	}
	return c
}

func (c *PrecisionRecallCurve) add(threshold, precision, recall float64, counts [3]int64) {
	c.Threshold = append(c.Threshold, threshold)
	c.Precision = append(c.Precision, precision)
	c.Recall = append(c.Recall, recall)
	c.TP, c.FP, c.FN = append(c.TP, counts[0]), append(c.FP, counts[1]), append(c.FN, counts[2])
}

// Stats returns the report that Deeplearning4j prints.
func (e *ROC) Stats() string {
	if e.examples == 0 {
		return "ROC: No data available (no data has been performed)"
	}
	var b strings.Builder
	b.WriteString("AUC (Area under ROC Curve):                " + dl4j.FormatDouble(e.AUC()))
	b.WriteString("\nAUPRC (Area under Precision/Recall Curve): " + dl4j.FormatDouble(e.AUCPR()))
	b.WriteString(thresholdNote(e.ThresholdSteps))
	return b.String()
}
