package eval

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/tensor"
)

// RegressionEvaluation measures predicted numbers, column by column (Deeplearning4j's RegressionEvaluation). A mask of
// single outputs leaves out only these. Deeplearning4j differs: its R² is wrong after a merge; here it is right.
//
// Set the fields before the first Eval.
type RegressionEvaluation struct {
	// Columns names the outputs. If it is empty, the first minibatch sets their number, and they are named "col_0",
	// "col_1", ….
	Columns []string
	// Precision is the number of digits after the point that Stats prints.
	Precision int
	// Axis is the dimension of the outputs: 1, or the last one if sequences and images have it last.
	Axis int

	of []column
}

// column holds the sums of one output that Deeplearning4j's files contain.
type column struct {
	count                           float64
	labels                          float64 // Σ y
	squaredErrors, absErrors        float64 // Σ (p − y)², Σ |p − y|
	labelMean, predictionMean       float64
	products                        float64 // Σ y·p
	squaredLabels, squaredPredicted float64 // Σ y², Σ p²
}

// NewRegressionEvaluation makes an evaluation of outputs with these names. Without names, the first minibatch sets
// their number.
func NewRegressionEvaluation(columns ...string) *RegressionEvaluation {
	return &RegressionEvaluation{Columns: columns, Precision: 5, Axis: 1}
}

// New returns an empty evaluation with the same settings.
func (e *RegressionEvaluation) New() Evaluator {
	return &RegressionEvaluation{Columns: e.Columns, Precision: e.Precision, Axis: e.Axis}
}

func (e *RegressionEvaluation) start(columns int) {
	if len(e.Columns) == 0 {
		for i := range columns {
			e.Columns = append(e.Columns, fmt.Sprintf("col_%d", i))
		}
	}
	if e.of == nil {
		e.of = make([]column, columns)
	}
}

// Eval adds a minibatch.
func (e *RegressionEvaluation) Eval(labels, predictions, mask *tensor.Dense) error {
	r, bad := align("RegressionEvaluation", labels, predictions, mask, e.Axis)
	if bad != nil {
		return bad
	}
	bad = inputError("RegressionEvaluation", labels, predictions, mask)
	if len(e.Columns) > 0 && len(e.Columns) != r.columns {
		bad.Reason = fmt.Sprintf("the evaluation has %d columns", len(e.Columns))
		return bad
	}
	if bad := r.check(bad); bad != nil {
		return bad
	}
	if r.allMasked() {
		return nil
	}
	e.start(r.columns)
	for c := range e.of {
		e.of[c].merge(r.column(c))
	}
	return nil
}

// column computes the sums of one column of rows.
func (r *rows) column(c int) column {
	var s column
	predictions := 0.0
	for row := range r.count {
		if r.masked(row) || r.maskedOutput(row, c) {
			continue
		}
		y, p := float64(r.labels[r.at(row, c)]), float64(r.predictions[r.at(row, c)])
		s.count++
		s.labels += y
		predictions += p
		s.squaredErrors += (p - y) * (p - y)
		s.absErrors += math.Abs(p - y)
		s.products += y * p
		s.squaredLabels += y * y
		s.squaredPredicted += p * p
	}
	if s.count > 0 {
		s.labelMean, s.predictionMean = s.labels/s.count, predictions/s.count
	}
	return s
}

func (s *column) merge(o column) {
	if o.count == 0 {
		return
	}
	n := s.count + o.count
	*s = column{
		count:            n,
		labels:           s.labels + o.labels,
		squaredErrors:    s.squaredErrors + o.squaredErrors,
		absErrors:        s.absErrors + o.absErrors,
		labelMean:        (s.labelMean*s.count + o.labelMean*o.count) / n,
		predictionMean:   (s.predictionMean*s.count + o.predictionMean*o.count) / n,
		products:         s.products + o.products,
		squaredLabels:    s.squaredLabels + o.squaredLabels,
		squaredPredicted: s.squaredPredicted + o.squaredPredicted,
	}
}

// Merge adds the sums of another RegressionEvaluation.
func (e *RegressionEvaluation) Merge(other Evaluator) error {
	o, ok := other.(*RegressionEvaluation)
	if !ok {
		return &MergeError{fmt.Sprintf("%T into %T", other, e)}
	}
	if len(e.Columns) > 0 && len(o.Columns) > 0 && !slices.Equal(e.Columns, o.Columns) {
		return &MergeError{fmt.Sprintf("one has the columns %q, the other %q", e.Columns, o.Columns)}
	}
	if o.of == nil {
		return nil
	}
	if len(e.Columns) == 0 {
		e.Columns = slices.Clone(o.Columns)
	}
	e.start(len(o.of))
	for c := range e.of {
		e.of[c].merge(o.of[c])
	}
	return nil
}

// MeanSquaredError is Σ(p − y)²/n of a column.
func (e *RegressionEvaluation) MeanSquaredError(c int) float64 {
	return e.of[c].squaredErrors / e.of[c].count
}

// MeanAbsoluteError is Σ|p − y|/n of a column.
func (e *RegressionEvaluation) MeanAbsoluteError(c int) float64 {
	return e.of[c].absErrors / e.of[c].count
}

// RootMeanSquaredError is the root of MeanSquaredError.
func (e *RegressionEvaluation) RootMeanSquaredError(c int) float64 {
	return math.Sqrt(e.MeanSquaredError(c))
}

// RelativeSquaredError is Σ(p − y)²/Σ(y − ȳ)² of a column; infinite if all labels are equal.
func (e *RegressionEvaluation) RelativeSquaredError(c int) float64 {
	s := &e.of[c]
	total := s.squaredLabels - s.count*s.labelMean*s.labelMean
	if math.Abs(total) <= 1e-5 { // Deeplearning4j's limit
		return math.Inf(1)
	}
	return (s.squaredPredicted - 2*s.products + s.squaredLabels) / total
}

// PearsonCorrelation is the correlation of a column's predictions with its labels.
func (e *RegressionEvaluation) PearsonCorrelation(c int) float64 {
	s := &e.of[c]
	r := s.products - s.count*s.predictionMean*s.labelMean
	return r / math.Sqrt(s.squaredLabels-s.count*s.labelMean*s.labelMean) /
		math.Sqrt(s.squaredPredicted-s.count*s.predictionMean*s.predictionMean)
}

// RSquared is 1 − Σ(p − y)²/Σ(y − ȳ)² of a column.
func (e *RegressionEvaluation) RSquared(c int) float64 {
	s := &e.of[c]
	total := s.squaredLabels + s.labelMean*(s.count*s.labelMean-2*s.labels)
	return (total - s.squaredErrors) / total
}

// Average returns the mean of a figure over the columns, such as e.Average(e.RSquared).
func (e *RegressionEvaluation) Average(figure func(c int) float64) float64 {
	sum := 0.0
	for c := range e.of {
		sum += figure(c)
	}
	return sum / float64(len(e.of))
}

// Stats returns the table that Deeplearning4j prints.
func (e *RegressionEvaluation) Stats() string {
	if e.of == nil {
		return "RegressionEvaluation: No Data"
	}
	name := 5
	for _, s := range e.Columns {
		name = max(name, len([]rune(s))+5)
	}
	width := e.Precision + 10
	var b strings.Builder
	fmt.Fprintf(&b, "%-*s", name, "Column")
	for _, title := range []string{"MSE", "MAE", "RMSE", "RSE", "PC", "R^2"} {
		fmt.Fprintf(&b, "%-*s", width, title)
	}
	b.WriteByte('\n')
	for c, s := range e.Columns {
		fmt.Fprintf(&b, "%-*s", name, s)
		for _, x := range []float64{e.MeanSquaredError(c), e.MeanAbsoluteError(c), e.RootMeanSquaredError(c),
			e.RelativeSquaredError(c), e.PearsonCorrelation(c), e.RSquared(c)} {
			text := dl4j.FormatDouble(x)
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				text = fmt.Sprintf("%.*e", e.Precision, x)
			}
			fmt.Fprintf(&b, "%-*s", width, text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
