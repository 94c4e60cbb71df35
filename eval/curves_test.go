package eval

import (
	"testing"

	"github.com/dl4go/dl4go/tensor"
)

// The JSON, titles and points are Deeplearning4j's for the same six examples.
func TestCurvesAgreeWithDeeplearning4j(t *testing.T) {
	labels := tensor.MustOf([]float32{1, 0, 1, 0, 0, 1}, 6, 1)
	predictions := tensor.MustOf([]float32{.9, .75, .5, .5, .25, .125}, 6, 1)
	roc, calibration := NewROC(0), NewEvaluationCalibration()
	calibration.ReliabilityBins, calibration.HistogramBins = 4, 3
	for _, e := range []Evaluator{roc, calibration} {
		if err := e.Eval(labels, predictions, nil); err != nil {
			t.Fatal(err)
		}
	}
	pr := roc.PrecisionRecallCurve()
	for _, c := range []struct {
		curve       Curve
		title, json string
	}{
		{roc.RocCurve(), "ROC (Area=0.5556)", `{
  "@class" : "org.nd4j.evaluation.curves.RocCurve",
  "threshold" : [ 1.0, 0.8999999761581421, 0.75, 0.5, 0.25, 0.0 ],
  "fpr" : [ 0.0, 0.0, 0.3333333333333333, 0.3333333333333333, 1.0, 1.0 ],
  "tpr" : [ 0.0, 0.3333333333333333, 0.3333333333333333, 0.6666666666666666, 0.6666666666666666, 1.0 ],
  "auc" : 0.5555555555555556
}`},
		{pr, "Precision-Recall Curve (Area=0.6778)", `{
  "@class" : "org.nd4j.evaluation.curves.PrecisionRecallCurve",
  "threshold" : [ 0.0, 0.125, 0.25, 0.5, 0.75, 0.8999999761581421, 1.0 ],
  "precision" : [ 0.5, 0.5, 0.3999999999999999, 0.6666666666666665, 0.5, 1.0, 1.0 ],
  "recall" : [ 1.0, 1.0, 0.6666666666666666, 0.6666666666666666, 0.3333333333333333, 0.3333333333333333, 0.0 ],
  "tpCount" : [ 3, 3, 2, 2, 1, 1, 0 ],
  "fpCount" : [ 3, 3, 3, 1, 1, 0, 0 ],
  "fnCount" : [ 0, 0, 1, 1, 2, 2, 3 ],
  "totalCount" : 6,
  "area" : 0.6777777777777778
}`},
		{calibration.ReliabilityDiagram(0), "Reliability Diagram: Class 0", `{
  "@class" : "org.nd4j.evaluation.curves.ReliabilityDiagram",
  "title" : "Reliability Diagram: Class 0",
  "meanPredictedValueX" : [ 0.125, 0.25, 0.5, 0.824999988079071 ],
  "fractionPositivesY" : [ 1.0, 0.0, 0.5, 0.5 ]
}`},
		{calibration.ResidualPlot(0), "Residual Plot - Predictions for Label Class 0", `{
  "@class" : "org.nd4j.evaluation.curves.Histogram",
  "title" : "Residual Plot - Predictions for Label Class 0",
  "lower" : 0.0,
  "upper" : 1.0,
  "binCounts" : [ 1, 1, 1 ]
}`},
	} {
		read, err := UnmarshalCurve([]byte(c.json))
		if err != nil {
			t.Fatal(err)
		}
		for _, curve := range []Curve{c.curve, read} {
			b, err := MarshalCurve(curve)
			if err != nil || string(b) != c.json || curve.Title() != c.title {
				t.Errorf("%T: %v %q\n%s\nwant %q\n%s", c.curve, err, curve.Title(), b, c.title, c.json)
			}
		}
	}
	for _, c := range []struct {
		x                            float64
		threshold, precision, recall int
		tp, fp, fn, tn               int64
	}{
		{0, 0, 0, 6, 3, 3, 0, 0}, {.1, 1, 0, 5, 3, 3, 0, 0}, {.3, 3, 0, 5, 2, 1, 1, 2}, {.5, 3, 0, 3, 2, 1, 1, 2},
		{.6, 4, 3, 3, 1, 1, 2, 2}, {.95, 6, 5, 0, 0, 0, 3, 3}, {1, 6, 5, 0, 0, 0, 3, 3},
	} {
		at := pr.AtThreshold(c.x)
		tp, fp, fn, tn := pr.Confusion(at)
		if at != c.threshold || pr.AtPrecision(c.x) != c.precision || pr.AtRecall(c.x) != c.recall ||
			tp != c.tp || fp != c.fp || fn != c.fn || tn != c.tn {
			t.Errorf("%v: points %d, %d and %d with the counts %d %d %d %d, want %+v", c.x, at, pr.AtPrecision(c.x),
				pr.AtRecall(c.x), tp, fp, fn, tn, c)
		}
	}
	for _, bad := range []string{"null", "[]", `{"@class":"org.nd4j.evaluation.curves.Spiral"}`,
		`{"@class":"org.nd4j.evaluation.curves.RocCurve","threshold":[1,0],"fpr":[0],"tpr":[0,1]}`} {
		if c, err := UnmarshalCurve([]byte(bad)); err == nil {
			t.Errorf("%s is read as %v", bad, c)
		}
	}
}
