package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/progress"
)

func evaluateCommand() *cobra.Command {
	f := &applyFlags{}
	types, arrays := &typeFlags{}, &arrayFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model FILE --data SOURCE",
		Short: "Compare a model's predictions with labels: accuracy, precision, recall, F1, ROC, calibration, errors",
		Long: `Compare a model's predictions with the data's labels. Where the labels are classes: accuracy, precision,
recall, F1 and the confusion matrix, as Deeplearning4j's Evaluation has them; else, as its RegressionEvaluation, errors
and correlation of each column. --types has others, of which many are done in one pass over the data:

  classification   Evaluation, of the most likely class
  binary           EvaluationBinary, of each output by itself
  roc              ROC of one output, or two for two classes
  roc-binary       ROCBinary, of each output by itself
  roc-multiclass   ROCMultiClass, of each class against the rest
  regression       RegressionEvaluation
  calibration      EvaluationCalibration: reliability, residuals, probabilities

With --json the last object has under each type's name state, Deeplearning4j's own JSON of the evaluation, and metrics,
its figures. Outputs that are there already need no model:

  dl4go evaluate --predictions out.npy --labels labels.npy --types roc,calibration --html charts.html`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := types.check(cmd); err != nil {
				return err
			}
			if arrays.used() {
				return arrays.evaluate(cmd, types, newOutput(cmd, f.json))
			}
			f.query.count, f.query.level = true, engine.MemoryAndDisk
			a, err := f.open(cmd, true, nil)
			if err != nil {
				return err
			}
			defer a.close()
			return f.evaluate(cmd, a, types)
		},
	}
	f.add(cmd)
	types.add(cmd)
	arrays.add(cmd)
	return cmd
}

func (f *applyFlags) evaluate(cmd *cobra.Command, a *applied, types *typeFlags) error {
	info := a.source.Info()
	if len(types.types) == 0 {
		types.types = []string{"classification"}
		if info.Classes == 0 {
			types.types = []string{"regression"}
		}
	}
	var evals []eval.Evaluator
	err := a.counted("evaluate", func(func(int)) (err error) {
		evals, err = a.on.DoEvaluation(cmd.Context(), a.data, 0, types.evaluators(info.Classes, info.LabelNames)...)
		return err
	})
	if err != nil {
		return err
	}
	ev, err := types.report(a.out, evals)
	if err != nil {
		return err
	}
	a.out.line("%s examples of %s, %.2f s", progress.Count(int64(info.Examples)), info.Name, time.Since(a.begin).Seconds())
	return a.done(f.model, info.Examples, ev)
}
