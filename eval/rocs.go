package eval

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/tensor"
)

// ROCs has the [ROC] of each of several outputs. [ROCBinary] and [ROCMultiClass] embed it.
type ROCs struct {
	// ThresholdSteps is the number of equal steps from 0 to 1 at which predictions are counted; 0 means exact. See
	// ROC.
	ThresholdSteps int
	// KeepRedundant keeps the points in exact curves that do not change the area.
	KeepRedundant bool
	// Labels names the outputs; if it is empty, they are numbered.
	Labels []string
	// Axis is the dimension of the outputs: 1, or the last one if sequences and images have it last.
	Axis int

	of []*ROC
}

// ROCBinary has a ROC for each of several independent outputs, with labels 0 and 1 (Deeplearning4j's ROCBinary). A
// mask of single outputs leaves out only these.
type ROCBinary struct{ ROCs }

// ROCMultiClass has a ROC for each class against the rest (Deeplearning4j's ROCMultiClass). Masks of single outputs
// are refused.
type ROCMultiClass struct{ ROCs }

// NewROCBinary makes an evaluation with this number of thresholds; 0 is exact.
func NewROCBinary(thresholdSteps int) *ROCBinary {
	return &ROCBinary{ROCs{ThresholdSteps: max(thresholdSteps, 0), Axis: 1}}
}

// NewROCMultiClass makes an evaluation with this number of thresholds; 0 is exact.
func NewROCMultiClass(thresholdSteps int) *ROCMultiClass {
	return &ROCMultiClass{ROCs{ThresholdSteps: max(thresholdSteps, 0), Axis: 1}}
}

// New returns an empty evaluation with the same settings.
func (e *ROCBinary) New() Evaluator { return &ROCBinary{e.empty()} }

// New returns an empty evaluation with the same settings.
func (e *ROCMultiClass) New() Evaluator { return &ROCMultiClass{e.empty()} }

func (e *ROCs) empty() ROCs {
	return ROCs{ThresholdSteps: e.ThresholdSteps, KeepRedundant: e.KeepRedundant, Labels: e.Labels, Axis: e.Axis}
}

// Eval adds a minibatch.
func (e *ROCBinary) Eval(labels, predictions, mask *tensor.Dense) error {
	return e.eval("ROCBinary", labels, predictions, mask, true)
}

// Eval adds a minibatch.
func (e *ROCMultiClass) Eval(labels, predictions, mask *tensor.Dense) error {
	return e.eval("ROCMultiClass", labels, predictions, mask, false)
}

func (e *ROCs) eval(name string, labels, predictions, mask *tensor.Dense, outputMasks bool) error {
	r, bad := align(name, labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError(name, labels, predictions, mask)
	if bad.Reason = outputsRefused(&r, len(e.of), e.Labels); bad.Reason != "" {
		return bad
	}
	if r.perOutput && !outputMasks {
		bad.Reason = "ROCs of classes have no masks of single outputs"
		return bad
	}
	if bad := r.checkBinary(bad); bad != nil {
		return bad
	}
	if !r.allMasked() {
		e.add(&r)
	}
	return nil
}

// outputsRefused returns why rows do not fit the known outputs, or an empty text.
func outputsRefused(r *rows, known int, labels []string) string {
	switch {
	case r.columns == 0:
		return "there are no outputs"
	case known > 0 && known != r.columns:
		return fmt.Sprintf("the evaluation has %d outputs", known)
	case len(labels) > 0 && len(labels) != r.columns:
		return fmt.Sprintf("the evaluation has the names of %d outputs", len(labels))
	}
	return ""
}

func (e *ROCs) add(r *rows) {
	e.start(r.columns)
	const block = 64 // number of rows, which stay in the processor's cache while their columns are read
	for from := 0; from < r.count; from += block {
		for c, roc := range e.of {
			roc.addColumn(r, c, from, min(from+block, r.count))
		}
	}
}

func (e *ROCs) start(outputs int) {
	for len(e.of) < outputs {
		e.of = append(e.of, &ROC{ThresholdSteps: e.ThresholdSteps, KeepRedundant: e.KeepRedundant, Axis: 1})
	}
}

// Merge adds the data of another ROCBinary, as [ROC.Merge] does.
func (e *ROCBinary) Merge(other Evaluator) error {
	o, ok := other.(*ROCBinary)
	if !ok {
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	}
	return e.merge(&o.ROCs)
}

// Merge adds the data of another ROCMultiClass, as [ROC.Merge] does.
func (e *ROCMultiClass) Merge(other Evaluator) error {
	o, ok := other.(*ROCMultiClass)
	if !ok {
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	}
	return e.merge(&o.ROCs)
}

func (e *ROCs) merge(o *ROCs) error {
	if err := e.mergeable(o); err != nil {
		return err
	}
	if len(e.Labels) == 0 {
		e.Labels = slices.Clone(o.Labels)
	}
	e.start(len(o.of))
	for i, roc := range o.of {
		e.of[i].merge(roc)
	}
	return nil
}

func (e *ROCs) mergeable(o *ROCs) error {
	a, b := &ROC{ThresholdSteps: e.ThresholdSteps, KeepRedundant: e.KeepRedundant},
		&ROC{ThresholdSteps: o.ThresholdSteps, KeepRedundant: o.KeepRedundant}
	if err := a.mergeable(b); err != nil {
		return err
	}
	switch {
	case len(e.Labels) > 0 && len(o.Labels) > 0 && !slices.Equal(e.Labels, o.Labels):
		return &MergeError{fmt.Sprintf("one has the outputs %q, the other %q", e.Labels, o.Labels)}
	case len(e.of) > 0 && len(o.of) > 0 && len(e.of) != len(o.of):
		return &MergeError{fmt.Sprintf("one has %d outputs, the other %d", len(e.of), len(o.of))}
	}
	for i := range min(len(e.of), len(o.of)) {
		if err := e.of[i].mergeable(o.of[i]); err != nil {
			return err
		}
	}
	return nil
}

// Outputs is the number of outputs or classes (numLabels, getNumClasses), 0 while it is not known.
func (e *ROCs) Outputs() int { return len(e.of) }

// ROC returns the ROC of an output, with its curves.
func (e *ROCs) ROC(output int) *ROC { return e.of[output] }

// AUC is the area under the ROC curve of an output.
func (e *ROCs) AUC(output int) float64 { return e.of[output].AUC() }

// AUCPR is the area under the precision-recall curve of an output.
func (e *ROCs) AUCPR(output int) float64 { return e.of[output].AUCPR() }

// Average returns the mean of a figure over the outputs: e.Average(e.AUC) is Deeplearning4j's calculateAverageAUC. It
// is NaN if the figure of any output is NaN.
func (e *ROCs) Average(figure func(output int) float64) float64 { return average(len(e.of), figure) }

func average(n int, figure func(int) float64) float64 {
	sum := 0.0
	for i := range n {
		sum += figure(i)
	}
	return sum / float64(n)
}

// Stats returns the table that Deeplearning4j prints.
func (e *ROCBinary) Stats() string {
	var b strings.Builder
	width := labelWidth(e.Labels)
	fmt.Fprintf(&b, "%-*s%-12s%-12s%-10s%-10s", width, "Label", "AUC", "AUPRC", "# Pos", "# Neg")
	if e.of == nil {
		return b.String() + noData
	}
	for i, r := range e.of {
		fmt.Fprintf(&b, "\n%-*s%-12s%-12s%-10d%-10d", width, outputName(e.Labels, i), fixed(r.AUC(), 4), fixed(r.AUCPR(), 4),
			r.positives, r.negatives)
	}
	return b.String() + thresholdNote(e.ThresholdSteps)
}

// Stats returns the table that Deeplearning4j prints.
func (e *ROCMultiClass) Stats() string {
	var b strings.Builder
	width := labelWidth(e.Labels)
	fmt.Fprintf(&b, "%-*s%-12s%-10s%-10s", width, "Label", "AUC", "# Pos", "# Neg")
	if e.of == nil {
		return b.String() + noData
	}
	for i, r := range e.of {
		fmt.Fprintf(&b, "\n%-*s%-12s%-10d%-10d", width, outputName(e.Labels, i), fixed(r.AUC(), 4), r.positives, r.negatives)
	}
	fmt.Fprintf(&b, "Average AUC: %-12s", fixed(e.Average(e.AUC), 4))
	return b.String() + thresholdNote(e.ThresholdSteps)
}

const noData = "\n-- No Data --\n"
