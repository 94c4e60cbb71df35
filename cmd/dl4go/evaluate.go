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
its figures. Several outputs of a network are evaluated in one pass, too, each by --types or by types of its own; then
the last object has all that by the outputs' names, under outputs:

  dl4go evaluate --model model.zip --data dl4j:test/ --of class=classification,roc-multiclass --of price

idx:, libsvm:FILE?features=N&classes=N and csv:FILE?names=… are evaluated piece by piece, csv:-?classes=N and
libsvm:-?features=N&classes=N as they come from standard input, in constant memory; but for exact ROCs, which keep each
example: --threshold-steps N.

Outputs that are there already need no model:

  dl4go evaluate --predictions out.npy --labels labels.npy --types roc,calibration --html charts.html`,
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
			f.query.count, f.query.level = true, engine.MemoryAndDisk
			var all []*measured
			a, err := f.open(cmd, true, func(net *network, info source.Info) (err error) {
				if all, err = outputs.measured(net, info, types.types); err == nil {
					err = types.writable(all)
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
	cmd.Flags().IntVar(&replicas, "replicas", distributed.DefaultEvaluationWorkers, "how many of the network work at the same time in a process; all have one copy of the parameters")
	types.add(cmd)
	arrays.add(cmd)
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
	ev, err := types.report(a.out, f.model, all)
	if err != nil {
		return err
	}
	a.out.line("%s examples of %s, %.2f s", progress.Count(int64(n)), info.Name, time.Since(a.begin).Seconds())
	return a.done(f.model, n, ev)
}
