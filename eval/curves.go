package eval

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/dl4go/dl4go/dl4j"
)

// Curve is a chart of an evaluation: a *RocCurve, *PrecisionRecallCurve, *ReliabilityDiagram or *Histogram
// (Deeplearning4j: BaseCurve, BaseHistogram).
type Curve interface {
	// Title returns the heading that Deeplearning4j gives the chart.
	Title() string
}

// Curves is the table of curves and their Java classes.
var Curves = dl4j.NewClasses[Curve]("curve")

func init() {
	for name, constructor := range map[string]func() Curve{
		"RocCurve":             func() Curve { return &RocCurve{} },
		"PrecisionRecallCurve": func() Curve { return &PrecisionRecallCurve{} },
		"ReliabilityDiagram":   func() Curve { return &ReliabilityDiagram{} },
		"Histogram":            func() Curve { return &Histogram{} },
	} {
		Curves.Register("org.nd4j.evaluation.curves."+name, constructor)
		Curves.Alias("org.deeplearning4j.eval.curves."+name, "org.nd4j.evaluation.curves."+name)
	}
}

// MarshalCurve returns Deeplearning4j's JSON of c.
func MarshalCurve(c Curve) ([]byte, error) { return dl4j.Marshal(&c) }

// UnmarshalCurve reads a curve of any class. Errors are *dl4j.FormatErrors.
func UnmarshalCurve(text []byte) (Curve, error) {
	var c Curve
	if err := dl4j.Unmarshal(text, &c); err != nil {
		return nil, err
	}
	if c == nil {
		return nil, &dl4j.FormatError{Offset: -1, Err: fmt.Errorf("null is not a curve")}
	}
	return c, nil
}

// RocCurve is a receiver operating characteristic: a point for each threshold. The points begin with the highest
// threshold if the ROC is exact, and with the lowest if it has steps (Deeplearning4j's RocCurve).
type RocCurve struct {
	Threshold []float64 `dl4j:"threshold"`
	FPR       []float64 `dl4j:"fpr"` // false positive rate, fp/(fp+tn)
	TPR       []float64 `dl4j:"tpr"` // true positive rate, tp/(tp+fn)
}

func makeRocCurve(points int) *RocCurve {
	return &RocCurve{make([]float64, points), make([]float64, points), make([]float64, points)}
}

// AUC returns the area under the curve, by trapezoids. It is NaN if one class has no examples.
func (c *RocCurve) AUC() float64 { return area(c.FPR, c.TPR) }

// Title has the area with four digits.
func (c *RocCurve) Title() string { return "ROC (Area=" + fixed(c.AUC(), 4) + ")" }

// PrecisionRecallCurve has a point for each threshold, beginning with the lowest (Deeplearning4j's
// PrecisionRecallCurve).
type PrecisionRecallCurve struct {
	Threshold []float64 `dl4j:"threshold"`
	Precision []float64 `dl4j:"precision"`
	Recall    []float64 `dl4j:"recall"`
	TP        []int64   `dl4j:"tpCount"`
	FP        []int64   `dl4j:"fpCount"`
	FN        []int64   `dl4j:"fnCount"`
	Total     int64     `dl4j:"totalCount"` // examples
}

func makePrecisionRecallCurve(points int, total int64) *PrecisionRecallCurve {
	return &PrecisionRecallCurve{make([]float64, points), make([]float64, points), make([]float64, points),
		make([]int64, points), make([]int64, points), make([]int64, points), total}
}

// AUCPR is the area under the curve, by trapezoids.
func (c *PrecisionRecallCurve) AUCPR() float64 { return area(c.Recall, c.Precision) }

// Title has the area with four digits.
func (c *PrecisionRecallCurve) Title() string {
	return "Precision-Recall Curve (Area=" + fixed(c.AUCPR(), 4) + ")"
}

// AtThreshold returns the index of the first point whose threshold is at least the given one, or the last point.
func (c *PrecisionRecallCurve) AtThreshold(threshold float64) int {
	return min(sort.SearchFloat64s(c.Threshold, threshold), len(c.Threshold)-1)
}

// AtPrecision returns the index of the point with the lowest threshold that reaches the precision, or the last point.
func (c *PrecisionRecallCurve) AtPrecision(precision float64) int {
	i := slices.IndexFunc(c.Precision, func(x float64) bool { return x >= precision })
	if i < 0 {
		return len(c.Precision) - 1
	}
	return i
}

// AtRecall returns the index of the point with the highest threshold that reaches the recall; among points with the
// same recall, that with the greatest precision. It is the first point if none reaches the recall.
func (c *PrecisionRecallCurve) AtRecall(recall float64) int {
	found := -1
	for i := len(c.Recall) - 1; i >= 0; i-- {
		if c.Recall[i] >= recall && (found < 0 || c.Recall[i] == c.Recall[found] && c.Precision[i] >= c.Precision[found]) {
			found = i
		}
	}
	return max(found, 0)
}

// Confusion returns the counts at a point.
func (c *PrecisionRecallCurve) Confusion(point int) (tp, fp, fn, tn int64) {
	tp, fp, fn = c.TP[point], c.FP[point], c.FN[point]
	return tp, fp, fn, c.Total - tp - fp - fn
}

// ReliabilityDiagram compares, for each bin of predicted probabilities, their mean with the fraction of positive
// examples (Deeplearning4j's ReliabilityDiagram). For a calibrated classifier they are equal.
type ReliabilityDiagram struct {
	Name              string    `dl4j:"title,creator"`
	MeanPredicted     []float64 `dl4j:"meanPredictedValueX,creator"`
	FractionPositives []float64 `dl4j:"fractionPositivesY,creator"`
}

// Title is the name.
func (d *ReliabilityDiagram) Title() string {
	if d.Name == "" {
		return "Reliability Diagram"
	}
	return d.Name
}

// Histogram has counts of bins of equal width (Deeplearning4j's Histogram).
type Histogram struct {
	Name   string  `dl4j:"title,creator"`
	Lower  float64 `dl4j:"lower,creator"`
	Upper  float64 `dl4j:"upper,creator"`
	Counts []int64 `dl4j:"binCounts,creator"`
}

// Title is the name.
func (h *Histogram) Title() string { return h.Name }

// Bounds returns the limits of a bin. The upper limit does not belong to it, except for the last bin.
func (h *Histogram) Bounds(bin int) (lower, upper float64) {
	width := (h.Upper - h.Lower) / float64(len(h.Counts))
	lower, upper = h.Lower+float64(bin)*width, h.Lower+float64(bin+1)*width
	if bin == len(h.Counts)-1 {
		upper = h.Upper
	}
	return lower, upper
}

// area sums trapezoids, in the points' order.
func area(x, y []float64) float64 {
	var t trapezoids
	for i := range x {
		t.add(x[i], y[i])
	}
	return t.sum
}

type trapezoids struct {
	sum, x, y float64
	begun     bool
}

func (t *trapezoids) add(x, y float64) {
	if t.begun {
		t.sum += float64(math.Abs(x-t.x) * ((y + t.y) / 2)) // not fused
	}
	t.x, t.y, t.begun = x, y, true
}

// MarshalTree returns the members, and the area.
func (c *RocCurve) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "threshold", Value: c.Threshold}, {Name: "fpr", Value: c.FPR},
		{Name: "tpr", Value: c.TPR}, {Name: "auc", Value: c.AUC()}}, nil
}

// UnmarshalTree reads the members.
func (c *RocCurve) UnmarshalTree(tree any) error {
	type plain RocCurve
	if err := curveMembers(tree, (*plain)(c), "auc"); err != nil {
		return err
	}
	return sameLengths(len(c.Threshold), len(c.FPR), len(c.TPR))
}

// MarshalTree returns the members, and the area.
func (c *PrecisionRecallCurve) MarshalTree() (any, error) {
	return dl4j.Object{{Name: "threshold", Value: c.Threshold}, {Name: "precision", Value: c.Precision},
		{Name: "recall", Value: c.Recall}, {Name: "tpCount", Value: c.TP}, {Name: "fpCount", Value: c.FP},
		{Name: "fnCount", Value: c.FN}, {Name: "totalCount", Value: c.Total}, {Name: "area", Value: c.AUCPR()}}, nil
}

// UnmarshalTree reads the members.
func (c *PrecisionRecallCurve) UnmarshalTree(tree any) error {
	type plain PrecisionRecallCurve
	if err := curveMembers(tree, (*plain)(c), "area"); err != nil {
		return err
	}
	return sameLengths(len(c.Threshold), len(c.Precision), len(c.Recall), len(c.TP), len(c.FP), len(c.FN))
}

// curveMembers reads an object without its area, which follows from the rest.
func curveMembers(tree any, members any, area string) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("a curve should be an object")
	}
	return dl4j.FromTree(o.Without("@class").Without(area), members)
}

func sameLengths(lengths ...int) error {
	for _, n := range lengths {
		if n != lengths[0] || n < 2 {
			return fmt.Errorf("a curve has arrays of %d numbers: they should have the same length, 2 or more", lengths)
		}
	}
	return nil
}

func list[T any](x []T) []any {
	out := make([]any, len(x))
	for i, v := range x {
		out[i] = v
	}
	return out
}
