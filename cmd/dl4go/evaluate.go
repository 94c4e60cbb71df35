package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/progress"
)

func evaluateCommand() *cobra.Command {
	f := &applyFlags{}
	top := 1
	cmd := &cobra.Command{
		Use:   "evaluate --model FILE --data SOURCE",
		Short: "Compare a model's predictions with labels: accuracy, precision, recall, F1, confusion matrix",
		Long: `Compare a model's predictions with the data's labels. Where the labels are classes: accuracy, precision,
recall, F1 and the confusion matrix, as Deeplearning4j's Evaluation has them; else, as its RegressionEvaluation, errors
and correlation of each column.`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := positive(cmd, "top"); err != nil {
				return err
			}
			f.query.count, f.query.level = true, engine.MemoryAndDisk
			a, err := f.open(cmd, true, nil)
			if err != nil {
				return err
			}
			defer a.close()
			return f.evaluate(cmd, a, top)
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&top, "top", 1, "count too how often the class is among the `N` most likely")
	return cmd
}

func (f *applyFlags) evaluate(cmd *cobra.Command, a *applied, top int) error {
	info := a.source.Info()
	if info.Classes == 0 {
		return f.regression(cmd, a)
	}
	var e *eval.Evaluation
	err := a.counted("evaluate", func(func(int)) (err error) {
		e, err = a.on.Evaluate(cmd.Context(), a.data, info.LabelNames, top)
		return err
	})
	if err != nil {
		return err
	}
	a.out.line("%s", strings.Trim(e.Stats(), "\n"))
	f.conclude(a)
	figures := event{"accuracy": e.Accuracy(), "precision": e.Precision(), "recall": e.Recall(), "f1": e.F1(),
		"classes": e.Classes(), "confusion": confusion(e)}
	if top > 1 {
		figures["topN"], figures["topNAccuracy"] = top, e.TopNAccuracy()
	}
	return a.done(f.model, info.Examples, figures)
}

// conclude says how much was evaluated.
func (f *applyFlags) conclude(a *applied) {
	a.out.line("%s examples of %s, %.2f s", progress.Count(int64(a.source.Info().Examples)), a.source.Info().Name, time.Since(a.begin).Seconds())
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

func (f *applyFlags) regression(cmd *cobra.Command, a *applied) error {
	var out []eval.Evaluator
	err := a.counted("evaluate", func(func(int)) (err error) {
		out, err = a.on.DoEvaluation(cmd.Context(), a.data, 0, eval.NewRegressionEvaluation())
		return err
	})
	if err != nil {
		return err
	}
	e, ok := out[0].(*eval.RegressionEvaluation)
	if !ok {
		return fmt.Errorf("a regression was evaluated as %T", out[0])
	}
	a.out.line("%s", strings.Trim(e.Stats(), "\n"))
	f.conclude(a)
	return a.done(f.model, a.source.Info().Examples, event{"mse": e.Average(e.MeanSquaredError), "mae": e.Average(e.MeanAbsoluteError),
		"rmse": e.Average(e.RootMeanSquaredError), "rSquared": e.Average(e.RSquared)})
}
