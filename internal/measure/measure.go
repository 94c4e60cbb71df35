// Package measure makes evaluations of the types that users name, and computes their figures.
package measure

import (
	"io"
	"maps"
	"slices"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/jsonline"
)

// Settings are the settings of those types that have any.
type Settings struct {
	Steps int // of a ROC's threshold; 0 is exact
	Top   int // a prediction counts as right if the actual class is among this many most likely ones
}

// types make an evaluation of the given number of outputs (0 if unknown). labels are the outputs' names, if known.
var types = map[string]func(s Settings, outputs int, labels []string) eval.Evaluator{
	"classification": func(s Settings, outputs int, labels []string) eval.Evaluator {
		if outputs == 1 { // of two classes, as it turns out with the first example
			outputs = 0
		}
		e := eval.NewEvaluation(max(outputs, len(labels)))
		if len(labels) > 0 {
			e.Labels = labels
		}
		e.TopN = s.Top
		if s.Top > 1 || len(labels) > 0 { // as Deeplearning4j's constructors with these arguments leave it
			one := 1
			e.BinaryPositiveClass = &one
		}
		return e
	},
	"binary": func(_ Settings, _ int, labels []string) eval.Evaluator { return eval.NewEvaluationBinary(labels...) },
	"roc":    func(s Settings, _ int, _ []string) eval.Evaluator { return eval.NewROC(s.Steps) },
	"roc-binary": func(s Settings, _ int, labels []string) eval.Evaluator {
		e := eval.NewROCBinary(s.Steps)
		e.Labels = labels
		return e
	},
	"roc-multiclass": func(s Settings, _ int, labels []string) eval.Evaluator {
		e := eval.NewROCMultiClass(s.Steps)
		e.Labels = labels
		return e
	},
	"regression": func(_ Settings, classes int, names []string) eval.Evaluator {
		if classes > 0 {
			names = nil
		}
		return eval.NewRegressionEvaluation(names...)
	},
	"calibration": func(Settings, int, []string) eval.Evaluator { return eval.NewEvaluationCalibration() },
}

// Types lists the types, in alphabetical order.
func Types() []string { return slices.Sorted(maps.Keys(types)) }

// New makes an evaluation of one of the types, with the given number of outputs (0 if unknown) and their names, if
// known.
func New(kind string, s Settings, outputs int, labels []string) eval.Evaluator {
	return types[kind](s, outputs, labels)
}

// Object returns an evaluation for --json: its state, in Deeplearning4j's form, and all of its figures.
func Object(e eval.Evaluator) map[string]any {
	metrics := map[string]any{} // none if everything was masked
	for name, x := range eval.Metrics(e) {
		metrics[name] = jsonline.Value(x)
	}
	state := jsonline.Document(func(w io.Writer) error { return eval.Write(w, e) })
	return map[string]any{"state": state, "metrics": metrics}
}

// Overall returns the few figures that summarize an evaluation.
func Overall(e eval.Evaluator) map[string]any {
	switch e := e.(type) {
	case *eval.Evaluation:
		figures := map[string]any{"accuracy": e.Accuracy(), "precision": e.Precision(), "recall": e.Recall(), "f1": e.F1(),
			"classes": e.Classes()}
		if e.Classes() <= eval.MaxConfusion {
			figures["confusion"] = confusion(e)
		}
		if e.TopN > 1 {
			figures["topN"], figures["topNAccuracy"] = e.TopN, e.TopNAccuracy()
		}
		return figures
	case *eval.RegressionEvaluation:
		return map[string]any{"mse": e.Average(e.MeanSquaredError), "mae": e.Average(e.MeanAbsoluteError),
			"rmse": e.Average(e.RootMeanSquaredError), "rSquared": e.Average(e.RSquared)}
	}
	return nil
}

// confusion returns the confusion matrix: a row for each actual class, a column for each predicted one.
func confusion(e *eval.Evaluation) [][]int64 {
	rows := make([][]int64, e.Classes())
	for i := range rows {
		for j := range e.Classes() {
			rows[i] = append(rows[i], e.Count(i, j))
		}
	}
	return rows
}
