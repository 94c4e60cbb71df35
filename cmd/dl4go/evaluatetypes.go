package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/storage"
)

// typeFlags say what evaluate measures, and where to draw it.
type typeFlags struct {
	types      []string
	steps, top int
	html       string
}

// evaluationTypes make an evaluation of so many outputs (0 where that is not known), whose names may be known.
var evaluationTypes = map[string]func(f *typeFlags, outputs int, labels []string) eval.Evaluator{
	"classification": func(f *typeFlags, outputs int, labels []string) eval.Evaluator {
		e := eval.NewEvaluation(max(outputs, len(labels)))
		if len(labels) > 0 {
			e.Labels = labels
		}
		e.TopN = f.top
		return e
	},
	"binary": func(_ *typeFlags, _ int, labels []string) eval.Evaluator { return eval.NewEvaluationBinary(labels...) },
	"roc":    func(f *typeFlags, _ int, _ []string) eval.Evaluator { return eval.NewROC(f.steps) },
	"roc-binary": func(f *typeFlags, _ int, labels []string) eval.Evaluator {
		e := eval.NewROCBinary(f.steps)
		e.Labels = labels
		return e
	},
	"roc-multiclass": func(f *typeFlags, _ int, labels []string) eval.Evaluator {
		e := eval.NewROCMultiClass(f.steps)
		e.Labels = labels
		return e
	},
	"regression":  func(*typeFlags, int, []string) eval.Evaluator { return eval.NewRegressionEvaluation() },
	"calibration": func(*typeFlags, int, []string) eval.Evaluator { return eval.NewEvaluationCalibration() },
}

// maxThresholdSteps is what an evaluation's file may have.
const maxThresholdSteps = 1 << 20

func (f *typeFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.types, "types", nil, "what to measure, a `LIST` of the types above, with commas"+
		"; without it classification, or regression where the labels are no classes")
	fs.IntVar(&f.steps, "threshold-steps", 0, "count at `N` equal steps of the threshold for the ROCs; 0 is exact")
	fs.IntVar(&f.top, "top", 1, "count too how often the class is among the `N` most likely")
	fs.StringVar(&f.html, "html", "", "draw ROCs and calibration into `FILE`, a page that needs no other")
}

func (f *typeFlags) check(cmd *cobra.Command) error {
	if err := positive(cmd, "top"); err != nil {
		return err
	}
	if f.steps < 0 || f.steps > maxThresholdSteps {
		return usagef("--threshold-steps %d: it must be from 0 to %d", f.steps, maxThresholdSteps)
	}
	known := slices.Sorted(maps.Keys(evaluationTypes))
	for i, name := range f.types {
		if evaluationTypes[name] == nil {
			return usagef("--types: %q is none of %s%s", name, strings.Join(known, ", "), didYouMean(name, known))
		}
		if slices.Contains(f.types[:i], name) {
			return usagef("--types: %s is there twice", name)
		}
	}
	if f.html != "" {
		if err := storage.CheckWritable(f.html); err != nil {
			return fmt.Errorf("--html: %w", err)
		}
	}
	return nil
}

// evaluators makes an empty evaluation of each type.
func (f *typeFlags) evaluators(outputs int, labels []string) []eval.Evaluator {
	var out []eval.Evaluator
	for _, name := range f.types {
		out = append(out, evaluationTypes[name](f, outputs, labels))
	}
	return out
}

// report prints evaluations, draws them, and gives what --json says of them.
func (f *typeFlags) report(out *output, evals []eval.Evaluator) (event, error) {
	ev := event{}
	for i, e := range evals {
		if i > 0 {
			out.line("")
		}
		out.line("%s", strings.Trim(e.Stats(), "\n"))
		state, err := eval.Marshal(e)
		if err != nil {
			return nil, err
		}
		metrics := eval.Metrics(e)
		for name, x := range metrics {
			metrics[name] = asJSON(x)
		}
		ev[f.types[i]] = map[string]any{"state": json.RawMessage(state), "metrics": metrics}
		maps.Copy(ev, overall(e))
	}
	if f.html == "" {
		return ev, nil
	}
	ev["html"] = f.html
	return ev, storage.WriteFile(f.html, func(w io.Writer) error { return eval.WriteHTML(w, "Evaluation", evals...) })
}

// overall gives the few figures that stand on their own.
func overall(e eval.Evaluator) event {
	switch e := e.(type) {
	case *eval.Evaluation:
		figures := event{"accuracy": e.Accuracy(), "precision": e.Precision(), "recall": e.Recall(), "f1": e.F1(),
			"classes": e.Classes(), "confusion": confusion(e)}
		if e.TopN > 1 {
			figures["topN"], figures["topNAccuracy"] = e.TopN, e.TopNAccuracy()
		}
		return figures
	case *eval.RegressionEvaluation:
		return event{"mse": e.Average(e.MeanSquaredError), "mae": e.Average(e.MeanAbsoluteError),
			"rmse": e.Average(e.RootMeanSquaredError), "rSquared": e.Average(e.RSquared)}
	}
	return nil
}

// asJSON makes strings of the numbers that JSON does not have.
func asJSON(x any) any {
	switch x := x.(type) {
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Sprint(x)
		}
	case []float64:
		list := make([]any, len(x))
		for i, v := range x {
			list[i] = asJSON(v)
		}
		return list
	}
	return x
}

// confusion is a row for each actual class, a column for each predicted one.
func confusion(e *eval.Evaluation) [][]int64 {
	rows := make([][]int64, e.Classes())
	for i := range rows {
		for j := range e.Classes() {
			rows[i] = append(rows[i], e.Count(i, j))
		}
	}
	return rows
}
