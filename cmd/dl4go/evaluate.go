package main

import (
	"maps"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/progress"
)

// evaluateFlags are the flags of dl4go evaluate.
type evaluateFlags struct {
	applyFlags
	types    typeFlags
	outputs  outputFlags
	arrays   arrayFlags
	replicas int
}

func evaluateCommand() *cobra.Command {
	f := &evaluateFlags{}
	cmd := &cobra.Command{
		Use:   "evaluate --model FILE --data SOURCE",
		Short: "Evaluate a model: accuracy, F1, ROC, calibration, errors",
		Args:  arguments.NoArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.add(cmd)
	f.outputs.add(cmd.Flags())
	cmd.Flags().IntVar(&f.replicas, "replicas", distributed.DefaultEvaluationWorkers,
		"`N` replicas at a time in each process")
	f.types.add(cmd)
	f.arrays.add(cmd)
	f.settings.add(cmd.Flags())
	return cmd
}

func (f *evaluateFlags) run(cmd *cobra.Command) error {
	if err := f.types.check(cmd); err != nil {
		return err
	}
	if err := arguments.Positive(cmd, "replicas"); err != nil {
		return err
	}
	if f.arrays.used() {
		return f.arrays.run(cmd, &f.types, newOutput(cmd, f.json))
	}
	if err := f.outputs.check(); err != nil {
		return err
	}
	f.settings.Count, f.settings.Level = true, engine.MemoryAndDisk
	var all []*measure.Output
	before := func(net *modelfile.Opened, info source.Info) (err error) {
		if all, err = f.outputs.find(net, info, f.types.types); err == nil {
			err = f.types.files.CheckWritable(cmd.Context(), all)
		}
		return err
	}
	a, err := f.open(cmd, apply.Want{Labels: true, Before: before})
	if err != nil {
		return err
	}
	defer a.Close()
	if err := a.SetReplicas(f.replicas); err != nil {
		return err
	}
	f.types.ineffective(cmd, a.Out, all)
	n, weighted, err := a.Evaluate(cmd.Context(), all, f.types.settings(), f.types.files)
	if err != nil {
		return err
	}
	ev, err := measure.Report(cmd.Context(), a.Out, f.Model, all, f.types.files)
	if err != nil {
		return err
	}
	if weighted != nil {
		a.Out.Line("%s", measure.WeightedLine(weighted))
		maps.Copy(ev, measure.Weighted(weighted))
	}
	a.Out.Line("%s examples of %s, %.2f s", progress.Count(int64(n)), a.Name(), a.Seconds())
	return a.Done(n, ev)
}
