package train

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/registry"
)

// measure is a figure of held-out data that Config.Metrics can name.
type measure struct {
	kind   evaluation
	figure func(eval.Evaluator) float64
}

// evaluation is a type of evaluation, with its N if a prediction counts as right among the N most likely classes.
type evaluation struct {
	of  string
	top int
}

// The types of evaluations.
const (
	ofClasses = "classification"
	ofBinary  = "binary"
	ofNumbers = "regression"
	ofROC     = "roc"
	ofROCs    = "roc-binary"
)

// start returns an empty evaluation for the given number of classes.
func (e evaluation) start(classes int) eval.Evaluator {
	switch {
	case e.of == ofClasses:
		c := eval.NewEvaluation(0)
		c.TopN = max(1, e.top)
		return c
	case e.of == ofBinary:
		return eval.NewEvaluationBinary()
	case e.of == ofNumbers:
		return eval.NewRegressionEvaluation()
	case e.of == ofROCs:
		return eval.NewROCBinary(0)
	case classes > 2:
		return eval.NewROCMultiClass(0)
	}
	return eval.NewROC(0)
}

// figureOf makes a figure of evaluations of type E.
func figureOf[E eval.Evaluator](kind string, figure func(E) float64) measure {
	return measure{evaluation{of: kind}, func(e eval.Evaluator) float64 { return figure(e.(E)) }}
}

// averages is an evaluation with figures of several outputs, and their mean.
type averages interface {
	eval.Evaluator
	Average(figure func(int) float64) float64
	AUC(int) float64
	AUCPR(int) float64
}

// measures are the figures with fixed names.
var measures = func() map[string]measure {
	type class = *eval.Evaluation
	all := map[string]measure{
		"accuracy":         figureOf(ofClasses, class.Accuracy),
		"precision":        figureOf(ofClasses, class.Precision),
		"recall":           figureOf(ofClasses, class.Recall),
		"f1":               figureOf(ofClasses, class.F1),
		"false-alarm-rate": figureOf(ofClasses, class.FalseAlarmRate),
		"auc":              areaOf(averages.AUC, (*eval.ROC).AUC),
		"auprc":            areaOf(averages.AUCPR, (*eval.ROC).AUCPR),
		"binary-auc":       figureOf(ofROCs, func(e averages) float64 { return e.Average(e.AUC) }),
		"binary-auprc":     figureOf(ofROCs, func(e averages) float64 { return e.Average(e.AUCPR) }),
	}
	for name, f := range map[string]func(class, eval.Averaging) float64{"gmeasure": class.GMeasureAverage,
		"mcc": class.MatthewsCorrelationAverage} {
		all[name] = figureOf(ofClasses, func(e class) float64 { return f(e, eval.Macro) })
	}
	for name, f := range map[string]func(class, eval.Averaging) float64{"precision": class.PrecisionAverage,
		"recall": class.RecallAverage, "f1": class.F1Average, "gmeasure": class.GMeasureAverage,
		"mcc": class.MatthewsCorrelationAverage, "fpr": class.FalsePositiveRateAverage,
		"fnr": class.FalseNegativeRateAverage} {
		all[name+"-macro"] = figureOf(ofClasses, func(e class) float64 { return f(e, eval.Macro) })
		all[name+"-micro"] = figureOf(ofClasses, func(e class) float64 { return f(e, eval.Micro) })
	}
	type binary = *eval.EvaluationBinary
	for name, f := range map[string]func(binary, int) float64{"accuracy": binary.Accuracy, "f1": binary.F1,
		"precision": binary.Precision, "recall": binary.Recall, "mcc": binary.MatthewsCorrelation,
		"gmeasure": binary.GMeasure, "false-alarm-rate": binary.FalseAlarmRate} {
		all["binary-"+name] = figureOf(ofBinary, func(e binary) float64 {
			return e.Average(func(output int) float64 { return f(e, output) })
		})
	}
	type numbers = *eval.RegressionEvaluation
	for name, f := range map[string]func(numbers, int) float64{"mse": numbers.MeanSquaredError,
		"mae": numbers.MeanAbsoluteError, "rmse": numbers.RootMeanSquaredError, "rse": numbers.RelativeSquaredError,
		"pc": numbers.PearsonCorrelation, "r2": numbers.RSquared} {
		all[name] = figureOf(ofNumbers, func(e numbers) float64 {
			return e.Average(func(column int) float64 { return f(e, column) })
		})
	}
	return all
}()

// areaOf makes a figure of the only ROC, or the mean over the ROCs of several classes.
func areaOf(each func(averages, int) float64, one func(*eval.ROC) float64) measure {
	return figureOf(ofROC, func(e eval.Evaluator) float64 {
		if r, ok := e.(*eval.ROC); ok {
			return one(r)
		}
		all := e.(averages)
		return all.Average(func(class int) float64 { return each(all, class) })
	})
}

// The prefix and suffix of the name top-N-accuracy, and the largest N.
const (
	topPrefix = "top-"
	topSuffix = "-accuracy"
	mostTop   = 1000
)

// measureNamed finds a figure; it returns false if there is none of that name.
func measureNamed(name string) (measure, bool) {
	if m, ok := measures[name]; ok {
		return m, true
	}
	digits, ok := strings.CutPrefix(name, topPrefix)
	if ok {
		digits, ok = strings.CutSuffix(digits, topSuffix)
	}
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 2 || n > mostTop || strconv.Itoa(n) != digits {
		return measure{}, false
	}
	m := figureOf(ofClasses, (*eval.Evaluation).TopNAccuracy)
	m.kind.top = n
	return m, true
}

// MetricNames lists the names that Config.Metrics may have, in alphabetical order. An N in a name stands for a number
// of at least 2.
func MetricNames() []string {
	return slices.Sorted(maps.Keys(maps.Collect(func(yield func(string, bool) bool) {
		for name := range measures {
			if !yield(name, true) {
				return
			}
		}
		yield(topPrefix+"N"+topSuffix, true)
	})))
}

// CheckMetric refuses a name that Config.Metrics can't have, and lists the valid ones.
func CheckMetric(name string) error {
	if _, ok := measureNamed(name); !ok {
		known := MetricNames()
		return fmt.Errorf("%q is none of %s%s", name, strings.Join(known, ", "), registry.SuggestWord(name, known))
	}
	return nil
}

// checkMetrics refuses figures that the held-out data does not have.
func (c Config) checkMetrics() error {
	if len(c.Metrics) == 0 {
		return nil
	}
	if c.HeldOut == nil {
		return &ConfigError{Field: "Metrics", Err: ErrNoHeldOut}
	}
	if outputs := len(c.network().OutputLayers()); outputs != 1 {
		return wrong("Metrics", "the network has %d outputs; metrics are of networks with one", outputs)
	}
	info := c.HeldOut.Info()
	for i, name := range c.Metrics {
		if err := CheckMetric(name); err != nil {
			return wrong("Metrics", "%w", err)
		}
		if slices.Contains(c.Metrics[:i], name) {
			return wrong("Metrics", "%s is there twice", name)
		}
		if m, _ := measureNamed(name); (m.kind.of == ofClasses || m.kind.of == ofROC) && info.Classes == 0 {
			return wrong("Metrics", "%s needs classes, and the labels of %s are numbers; mae, for example, takes numbers, "+
				"and binary-f1 labels that are 0 or 1", name, info.Name)
		}
	}
	return nil
}

// defaultMetrics are figures beside the loss that suit labels that are each present or absent. Those of classes and
// numbers are fields of [Figures].
func defaultMetrics(task source.Task) []string {
	if task == source.MultiLabel {
		return []string{"binary-accuracy", "binary-f1"}
	}
	return nil
}
