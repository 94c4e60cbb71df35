package eval

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

const classification = "org.nd4j.evaluation.classification."

func init() {
	register("ROC", func() Evaluator { return NewROC(0) })
}

// register registers an evaluation by its name, and by its old name.
func register(name string, constructor func() Evaluator) {
	Classes.Register(classification+name, constructor)
	Classes.Alias("org.deeplearning4j.eval."+name, classification+name)
}

// MarshalTree returns the members in Deeplearning4j's order. An exact ROC has its curves, but not its examples.
func (e *ROC) MarshalTree() (any, error) {
	counts := dl4j.Object{}
	if e.ThresholdSteps > 0 {
		tp, fp := e.at()
		for i := range tp {
			t := e.threshold(i)
			counts = append(counts, dl4j.Member{Name: dl4j.FormatDouble(t), Value: dl4j.Object{
				{Name: "threshold", Value: t},
				{Name: "countTruePositive", Value: tp[i]},
				{Name: "countFalsePositive", Value: fp[i]},
			}})
		}
	}
	o := dl4j.Object{
		{Name: "thresholdSteps", Value: e.ThresholdSteps},
		{Name: "countActualPositive", Value: e.positives},
		{Name: "countActualNegative", Value: e.negatives},
		{Name: "counts", Value: counts},
	}
	if e.examples > 0 {
		o = append(o, dl4j.Member{Name: "auc", Value: e.AUC()}, dl4j.Member{Name: "auprc", Value: e.AUCPR()})
	}
	if e.examples > 0 && e.ThresholdSteps == 0 {
		o = append(o, dl4j.Member{Name: "rocCurve", Value: curveTree(func() Curve { return e.RocCurve() })},
			dl4j.Member{Name: "prCurve", Value: curveTree(func() Curve { return e.PrecisionRecallCurve() })})
	}
	return append(o,
		dl4j.Member{Name: "isExact", Value: e.ThresholdSteps == 0},
		dl4j.Member{Name: "exampleCount", Value: e.examples},
		dl4j.Member{Name: "rocRemoveRedundantPts", Value: !e.KeepRedundant}), nil
}

// curveTree computes a curve when it is printed: with many classes, only one curve exists at a time.
func curveTree(of func() Curve) dl4j.Deferred {
	return func() (any, error) {
		c := of()
		return dl4j.ToTree(&c)
	}
}

// rocFile has the members of the JSON that are read.
type rocFile struct {
	Steps     int         `dl4j:"thresholdSteps"`
	Positives int64       `dl4j:"countActualPositive"`
	Negatives int64       `dl4j:"countActualNegative"`
	Counts    dl4j.Object `dl4j:"counts"`
	AUC       *float64    `dl4j:"auc"`
	AUCPR     *float64    `dl4j:"auprc"`
	Roc       Curve       `dl4j:"rocCurve"`
	PR        Curve       `dl4j:"prCurve"`
	Exact     bool        `dl4j:"isExact"`
	Examples  int64       `dl4j:"exampleCount"`
	Remove    bool        `dl4j:"rocRemoveRedundantPts"`
}

// UnmarshalTree reads the members. Counts that contradict each other are an error.
func (e *ROC) UnmarshalTree(tree any) error {
	o, ok := tree.(dl4j.Object)
	if !ok {
		return fmt.Errorf("an evaluation should be an object")
	}
	f := rocFile{Remove: true}
	if err := dl4j.FromTree(o.Without("@class"), &f); err != nil {
		return err
	}
	n := &ROC{ThresholdSteps: f.Steps, KeepRedundant: !f.Remove, Axis: 1, positives: f.Positives, negatives: f.Negatives,
		examples: f.Examples}
	switch {
	case f.Steps < 0 || f.Steps > maxBins || f.Exact != (f.Steps == 0):
		return fmt.Errorf("there are %d threshold steps, and isExact is %t", f.Steps, f.Exact)
	case min(f.Positives, f.Negatives, f.Examples) < 0 || max(f.Positives, f.Negatives, f.Examples) > maxCount,
		max(f.Positives, f.Negatives) > f.Examples, f.Exact && f.Positives+f.Negatives != f.Examples:
		return fmt.Errorf("of %d examples %d are positive and %d negative", f.Examples, f.Positives, f.Negatives)
	}
	var err error
	switch {
	case !f.Exact:
		err = n.readCounts(f.Counts)
	case f.Examples > 0:
		err = n.readCurves(&f)
	case f.Roc != nil || f.PR != nil:
		err = fmt.Errorf("there are curves of no examples")
	}
	if err != nil {
		return err
	}
	for name, a := range map[string][2]*float64{"auc": {f.AUC, new(n.AUC())}, "auprc": {f.AUCPR, new(n.AUCPR())}} {
		if a[0] != nil && !(math.Abs(*a[0]-*a[1]) <= 1e-6) && !(math.IsNaN(*a[0]) && math.IsNaN(*a[1])) {
			return fmt.Errorf("%s is %v, and the curve's area %v", name, *a[0], *a[1])
		}
	}
	*e = *n
	return nil
}

// readCounts reads how many are predicted as class 1 at each step. From that it computes how many reach no higher
// step.
func (e *ROC) readCounts(o dl4j.Object) error {
	if len(o) != e.ThresholdSteps+1 {
		return fmt.Errorf("there are the counts of %d thresholds for %d steps", len(o), e.ThresholdSteps)
	}
	e.highest = make([][2]int64, len(o))
	last := [2]int64{}
	for i := len(o) - 1; i >= 0; i-- {
		var c struct {
			Threshold float64 `dl4j:"threshold"`
			TP        int64   `dl4j:"countTruePositive"`
			FP        int64   `dl4j:"countFalsePositive"`
		}
		if err := dl4j.FromTree(o[i].Value, &c); err != nil {
			return err
		}
		if math.Abs(c.Threshold-e.threshold(i)) > 1e-9 || c.TP < last[1] || c.FP < last[0] || c.TP > e.positives ||
			c.FP > e.negatives {
			return fmt.Errorf("counts: threshold %d of %d is %v, with %d true and %d false positives; at the next there are "+
				"%d and %d",
				i, e.ThresholdSteps, c.Threshold, c.TP, c.FP, last[1], last[0])
		}
		e.highest[i] = [2]int64{c.FP - last[0], c.TP - last[1]}
		last = [2]int64{c.FP, c.TP}
	}
	return nil
}

func (e *ROC) readCurves(f *rocFile) error {
	roc, okRoc := f.Roc.(*RocCurve)
	pr, okPR := f.PR.(*PrecisionRecallCurve)
	if !okRoc || !okPR {
		return fmt.Errorf("an exact ROC of %d examples should have rocCurve and prCurve", f.Examples)
	}
	e.curves = &rocCurves{roc, pr}
	return nil
}
