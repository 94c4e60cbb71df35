package main

import (
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data"
	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
)

func evaluateCommand() *cobra.Command {
	f := &applyFlags{}
	types, outputs, arrays := &typeFlags{}, &outputFlags{}, &arrayFlags{}
	replicas := 0
	cmd := &cobra.Command{
		Use:   "evaluate --model FILE --data SOURCE",
		Short: "Evaluate a model: accuracy, F1, ROC, calibration, errors",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := types.check(cmd); err != nil {
				return err
			}
			if err := positive(cmd, "replicas"); err != nil {
				return err
			}
			if arrays.used() {
				return arrays.run(cmd, types, newOutput(cmd, f.json))
			}
			if err := outputs.check(); err != nil {
				return err
			}
			f.settings.Count, f.settings.Level = true, engine.MemoryAndDisk
			var all []*measure.Output
			a, err := f.open(cmd, true, func(net *modelfile.Opened, info source.Info) (err error) {
				if all, err = outputs.find(net, info, types.types); err == nil {
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
	cmd.Flags().IntVar(&replicas, "replicas", distributed.DefaultEvaluationWorkers,
		"`N` replicas at a time in each process")
	types.add(cmd)
	arrays.add(cmd)
	f.settings.add(cmd.Flags())
	return cmd
}

func (f *applyFlags) evaluate(cmd *cobra.Command, a *applied, types *typeFlags, all []*measure.Output) error {
	info := a.source.Info()
	types.ineffective(cmd, a.out, all)
	measure.Begin(all, types.settings(), info.Classes, info.OutputNames())
	o := distributed.EvaluationOptions{Revert: a.ownUnit()}
	var evals []eval.Evaluator
	for _, m := range all {
		evals = append(evals, m.Evals...)
		o.Outputs = append(o.Outputs, slices.Repeat([]int{m.Index}, len(m.Evals))...)
	}
	weighted := &eval.Weighted{Numbers: info.Classes == 0}
	weighs := info.Weighted && info.Task != source.MultiLabel && len(info.Labels) == 1
	if info.Weighted && !weighs {
		a.out.Warn("--weights: these figures know no weights: those of one class of several, and of numbers, do")
	}
	cases := types.files.Cases(all, info)
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
			if weighs {
				w, err := distributed.EvaluateWeighted(cmd.Context(), a.on, d, data.Weighting{},
					weighted.Numbers, o.Revert)
				if err == nil {
					err = weighted.Merge(w)
				}
				if err != nil {
					return err
				}
			}
			if err := distributed.EvaluateCases(cmd.Context(), a.on, d, a.net.Normalizer, o.Revert, cases...); err != nil {
				return err
			}
			got, err := a.on.DoEvaluation(cmd.Context(), d, o, evals...)
			if err != nil || first {
				evals, first = got, false
				return err
			}
			return eval.MergeAll(evals, got)
		})
	})
	if err != nil {
		return err
	}
	for _, m := range all {
		k := len(m.Evals)
		m.Evals, evals = evals[:k], evals[k:]
	}
	ev, err := measure.Report(cmd.Context(), a.out, f.model, all, types.files)
	if err != nil {
		return err
	}
	if weighs {
		a.out.Line("%s", measure.WeightedLine(weighted))
		maps.Copy(ev, measure.Weighted(weighted))
	}
	a.out.Line("%s examples of %s, %.2f s", progress.Count(int64(n)), info.Name, time.Since(a.begin).Seconds())
	return a.done(f.model, n, ev)
}
