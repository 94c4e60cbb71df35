package eval

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dl4go/dl4go/tensor"
)

// EvaluationCalibration measures how reliable predicted probabilities are (Deeplearning4j's EvaluationCalibration). It
// has reliability diagrams, histograms of the residuals |label − prediction| and of the predictions, and counts of
// labelled and predicted classes. Labels are 0 or 1. Predictions outside 0 to 1 are in no bin. Masks of single outputs
// are refused.
//
// Limits of bins are compared as float32; sums of predictions are float64. Deeplearning4j differs: it sums the
// predictions of a minibatch as float32. Its merge only merges the reliability diagrams, and counts them twice if the
// evaluation was empty.
//
// Set the fields before the first Eval.
type EvaluationCalibration struct {
	// ReliabilityBins is the number of bins of the reliability diagrams, HistogramBins that of the histograms.
	ReliabilityBins, HistogramBins int
	// KeepEmptyBins keeps points without examples, which are NaN, in reliability diagrams.
	KeepEmptyBins bool
	// Axis is the dimension of the classes: 1, or the last one if sequences and images have it last.
	Axis int

	classes                       int // 0 while it is not known
	binPositives, binTotals       []int64
	binPredictions                []float64 // these three [bin, class]
	labelCounts, predictionCounts []int64   // [class]
	residuals, probabilities      []int64   // [bin]
	residualsOf, probabilitiesOf  []int64   // [bin, class], of the examples labelled with the class
}

// NewEvaluationCalibration returns an evaluation with Deeplearning4j's 10 bins of reliability and 50 of histograms.
func NewEvaluationCalibration() *EvaluationCalibration {
	return &EvaluationCalibration{ReliabilityBins: 10, HistogramBins: 50, Axis: 1}
}

// New returns an empty evaluation with the same settings.
func (e *EvaluationCalibration) New() Evaluator {
	return &EvaluationCalibration{ReliabilityBins: e.ReliabilityBins, HistogramBins: e.HistogramBins,
		KeepEmptyBins: e.KeepEmptyBins, Axis: e.Axis}
}

// maxBins is the maximum number of bins that a file can ask for.
const maxBins = 1 << 20

func (e *EvaluationCalibration) invalid() string {
	if min(e.ReliabilityBins, e.HistogramBins) < 1 || max(e.ReliabilityBins, e.HistogramBins) > maxBins {
		return fmt.Sprintf("there are %d bins of reliability and %d of histograms, not 1 to %d", e.ReliabilityBins,
			e.HistogramBins, maxBins)
	}
	return ""
}

// Eval adds a minibatch.
func (e *EvaluationCalibration) Eval(labels, predictions, mask *tensor.Dense) error {
	r, bad := align("EvaluationCalibration", labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError("EvaluationCalibration", labels, predictions, mask)
	bad.Reason = outputsRefused(&r, e.classes, nil)
	if bad.Reason == "" {
		bad.Reason = e.invalid()
	}
	if bad.Reason == "" && r.perOutput {
		bad.Reason = "a calibration has no masks of single outputs"
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
	e.start(r.columns)
	reliability, histogram := binsOf(e.ReliabilityBins), binsOf(e.HistogramBins)
	for row := range r.count {
		if r.masked(row) {
			continue
		}
		e.predictionCounts[r.argmax(r.predictions, row, nil)]++
		for c := range r.columns {
			i := r.at(row, c)
			label, p := int64(r.labels[i]), r.predictions[i]
			e.labelCounts[c] += label
			if bin := reliability.of(p); bin >= 0 {
				at := bin*e.classes + c
				e.binTotals[at]++
				e.binPositives[at] += label
				e.binPredictions[at] += float64(p)
			}
			if bin := histogram.of(float32(math.Abs(float64(r.labels[i] - p)))); bin >= 0 {
				e.residuals[bin]++
				e.residualsOf[bin*e.classes+c] += label
			}
			if bin := histogram.of(p); bin >= 0 {
				e.probabilities[bin]++
				e.probabilitiesOf[bin*e.classes+c] += label
			}
		}
	}
	return nil
}

func (e *EvaluationCalibration) start(classes int) {
	if e.classes > 0 {
		return
	}
	e.classes = classes
	e.binPredictions = make([]float64, e.ReliabilityBins*classes)
	for _, a := range e.counts() {
		*a.counts = make([]int64, a.shape[0]*a.shape[1])
	}
}

// counted is one of the arrays of counts, with its name in files.
type counted struct {
	name   string
	shape  tensor.Shape
	counts *[]int64
}

func (e *EvaluationCalibration) counts() []counted {
	return []counted{
		{"rDiagBinPosCount", tensor.Shape{e.ReliabilityBins, e.classes}, &e.binPositives},
		{"rDiagBinTotalCount", tensor.Shape{e.ReliabilityBins, e.classes}, &e.binTotals},
		{"labelCountsEachClass", tensor.Shape{1, e.classes}, &e.labelCounts},
		{"predictionCountsEachClass", tensor.Shape{1, e.classes}, &e.predictionCounts},
		{"residualPlotOverall", tensor.Shape{1, e.HistogramBins}, &e.residuals},
		{"residualPlotByLabelClass", tensor.Shape{e.HistogramBins, e.classes}, &e.residualsOf},
		{"probHistogramOverall", tensor.Shape{1, e.HistogramBins}, &e.probabilities},
		{"probHistogramByLabelClass", tensor.Shape{e.HistogramBins, e.classes}, &e.probabilitiesOf},
	}
}

// bins are the lower limits of bins of equal width from 0 to 1, and the upper one of the last.
type bins []float32

func binsOf(n int) bins {
	b := make(bins, n+1)
	width := 1 / float64(n)
	for i := range n {
		b[i] = float32(float64(i) * width)
	}
	b[n] = 1
	return b
}

// of returns the index of the bin with lower ≤ x < upper, or x ≤ 1 for the last one; −1 if there is none.
func (b bins) of(x float32) int {
	last := len(b) - 2
	if !(x >= 0 && x <= 1) {
		return -1
	}
	i := min(int(float64(x)*float64(last+1)), last)
	for i > 0 && x < b[i] {
		i--
	}
	for i < last && x >= b[i+1] {
		i++
	}
	return i
}

// Merge adds the counts and sums of another EvaluationCalibration.
func (e *EvaluationCalibration) Merge(other Evaluator) error {
	o, ok := other.(*EvaluationCalibration)
	switch {
	case !ok:
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	case e.ReliabilityBins != o.ReliabilityBins || e.HistogramBins != o.HistogramBins:
		return &MergeError{fmt.Sprintf("one has %d and %d bins, the other %d and %d", e.ReliabilityBins, e.HistogramBins,
			o.ReliabilityBins, o.HistogramBins)}
	case e.KeepEmptyBins != o.KeepEmptyBins:
		return &MergeError{"one leaves empty bins out, the other does not"}
	case e.classes > 0 && o.classes > 0 && e.classes != o.classes:
		return &MergeError{fmt.Sprintf("one has %d classes, the other %d", e.classes, o.classes)}
	case o.classes == 0:
		return nil
	}
	e.start(o.classes)
	theirs := o.counts()
	for i, a := range e.counts() {
		for j, n := range *theirs[i].counts {
			(*a.counts)[j] += n
		}
	}
	for i, x := range o.binPredictions {
		e.binPredictions[i] += x
	}
	return nil
}

// Classes returns the number of classes (numClasses); 0 while it is not known.
func (e *EvaluationCalibration) Classes() int { return e.classes }

// LabelCounts is how many examples have each class as their label (getLabelCountsEachClass).
func (e *EvaluationCalibration) LabelCounts() []int64 { return append([]int64(nil), e.labelCounts...) }

// PredictionCounts is how often each class was the most probable one (getPredictionCountsEachClass).
func (e *EvaluationCalibration) PredictionCounts() []int64 {
	return append([]int64(nil), e.predictionCounts...)
}

// ReliabilityDiagram returns the diagram of a class against the rest.
func (e *EvaluationCalibration) ReliabilityDiagram(class int) *ReliabilityDiagram {
	d := &ReliabilityDiagram{Name: "Reliability Diagram: Class " + strconv.Itoa(class), MeanPredicted: []float64{},
		FractionPositives: []float64{}}
	for bin := range e.ReliabilityBins {
		at := bin*e.classes + class
		n := float64(e.binTotals[at])
		if n == 0 && !e.KeepEmptyBins {
			continue
		}
		d.MeanPredicted = append(d.MeanPredicted, e.binPredictions[at]/n)
		d.FractionPositives = append(d.FractionPositives, float64(e.binPositives[at])/n)
	}
	return d
}

// ResidualPlotAllClasses returns the histogram of |label − prediction| of all outputs of all examples.
func (e *EvaluationCalibration) ResidualPlotAllClasses() *Histogram {
	return e.histogram("Residual Plot - All Predictions and Classes", e.residuals, 1, 0)
}

// ResidualPlot returns the histogram of |label − prediction| of a class's output, for the examples that are labelled
// with it.
func (e *EvaluationCalibration) ResidualPlot(class int) *Histogram {
	return e.histogram("Residual Plot - Predictions for Label Class "+strconv.Itoa(class), e.residualsOf, e.classes, class)
}

// ProbabilityHistogramAllClasses returns the histogram of the predictions of all outputs of all examples.
func (e *EvaluationCalibration) ProbabilityHistogramAllClasses() *Histogram {
	return e.histogram("Network Probabilities Histogram - All Predictions and Classes", e.probabilities, 1, 0)
}

// ProbabilityHistogram returns the histogram of the predictions of a class, for the examples that are labelled with
// it.
func (e *EvaluationCalibration) ProbabilityHistogram(class int) *Histogram {
	return e.histogram(fmt.Sprintf("Network Probabilities Histogram - P(class %d) - Data Labelled Class %d Only", class,
		class),
		e.probabilitiesOf, e.classes, class)
}

func (e *EvaluationCalibration) histogram(title string, of []int64, columns, column int) *Histogram {
	h := &Histogram{Name: title, Upper: 1, Counts: make([]int64, e.HistogramBins)}
	if of == nil {
		return h
	}
	for bin := range h.Counts {
		h.Counts[bin] = of[bin*columns+column]
	}
	return h
}

// Stats returns the line that Deeplearning4j prints.
func (e *EvaluationCalibration) Stats() string {
	return fmt.Sprintf("EvaluationCalibration(nBins=%d)", e.ReliabilityBins)
}
