package main

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/progress"
)

func evaluateCommand() *cobra.Command {
	f := &applyFlags{}
	types, outputs, arrays := &typeFlags{}, &outputFlags{}, &arrayFlags{}
	replicas := 0
	cmd := &cobra.Command{
		Use:   "evaluate --model FILE --data SOURCE",
		Short: "Evaluate a model: accuracy, F1, ROC, calibration, errors",
		Long: `Evaluate a model on labelled data: accuracy, precision, recall, F1 and the confusion
matrix for classes; errors and correlation for numbers.

  dl4go evaluate --model model.zip --data csv:test.csv?label=class
  dl4go evaluate --model model.zip --data dl4j:test/ --types roc --html roc.html
  dl4go evaluate --predictions out.npy --labels labels.npy --types roc`,
		Annotations: map[string]string{more: `Types of evaluation (--types); one pass over the data makes all of them:
  classification   Evaluation, of the most likely class
  binary           EvaluationBinary, of each output by itself
  roc              ROC of one output, or of two for two classes
  roc-binary       ROCBinary, of each output by itself
  roc-multiclass   ROCMultiClass, of each class against the rest
  regression       RegressionEvaluation
  calibration      EvaluationCalibration: reliability, residuals, probabilities
Without --types, labels that are classes are evaluated by classification, others by regression.

A network with several outputs is evaluated in one pass. --of names the outputs, with types of their own if need be:
  dl4go evaluate --model model.zip --data dl4j:test/ --of class=classification,roc-multiclass --of price
With several outputs or types, --save out.json writes out.OUTPUT.TYPE.json, and --html page.html writes page.OUTPUT.html.

With --json, the last object holds two things under each type's name: state is Deeplearning4j's JSON of the evaluation,
metrics its figures. With --of, it holds them by output under outputs.

Memory does not grow with the data for idx:, libsvm:FILE?features=N&classes=N, csv:FILE?names=… and standard input. Exact
ROCs are the exception, because they keep every example; --threshold-steps N avoids that.`},
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := types.check(cmd); err != nil {
				return err
			}
			if err := positive(cmd, "replicas"); err != nil {
				return err
			}
			if arrays.used() {
				return arrays.evaluate(cmd, types, newOutput(cmd, f.json))
			}
			if err := outputs.check(); err != nil {
				return err
			}
			f.settings.Count, f.settings.Level = true, engine.MemoryAndDisk
			var all []*measured
			a, err := f.open(cmd, true, func(net *network, info source.Info) (err error) {
				if all, err = outputs.measured(net, info, types.types); err == nil {
					err = types.writable(cmd.Context(), all)
				}
				return err
			})
			if err != nil {
				return err
			}
			defer a.close()
			if err := a.on.SetDefaultEvaluationWorkers(replicas); err != nil {
				return err
			}
			return f.evaluate(cmd, a, types, all)
		},
	}
	f.add(cmd)
	outputs.add(cmd.Flags())
	cmd.Flags().IntVar(&replicas, "replicas", distributed.DefaultEvaluationWorkers, "`N` replicas at a time in each process")
	types.add(cmd)
	arrays.add(cmd)
	f.settings.add(cmd.Flags())
	return cmd
}

func (f *applyFlags) evaluate(cmd *cobra.Command, a *applied, types *typeFlags, all []*measured) error {
	info := a.source.Info()
	types.ineffective(cmd, a.out, all)
	types.begin(all, info.Classes, info.LabelNames)
	var o distributed.EvaluationOptions
	var evals []eval.Evaluator
	for _, m := range all {
		evals = append(evals, m.evals...)
		o.Outputs = append(o.Outputs, slices.Repeat([]int{m.output}, len(m.evals))...)
	}
	n := 0
	if a.data != nil {
		n = info.Examples
	}
	err := a.counted("evaluate", func(done func(int)) error {
		first := true
		return a.eachPiece(cmd.Context(), func(d *distributed.Data) error {
			if a.data == nil { // a piece of a stream
				more, err := d.Count(cmd.Context())
				if err != nil {
					return err
				}
				n += more
				done(more)
			}
			got, err := a.on.DoEvaluation(cmd.Context(), d, o, evals...)
			if err != nil || first {
				evals, first = got, false
				return err
			}
			for i, e := range got {
				if err := evals[i].Merge(e); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, m := range all {
		k := len(m.evals)
		m.evals, evals = evals[:k], evals[k:]
	}
	ev, err := types.report(cmd.Context(), a.out, f.model, all)
	if err != nil {
		return err
	}
	a.out.line("%s examples of %s, %.2f s", progress.Count(int64(n)), info.Name, time.Since(a.begin).Seconds())
	return a.done(f.model, n, ev)
}
