package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/npy"
	"github.com/dl4go/dl4go/internal/progress"
	"github.com/dl4go/dl4go/tensor"
)

// arrayFlags are what evaluate takes instead of a model and data.
type arrayFlags struct{ predictions, labels, mask string }

func (f *arrayFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.predictions, "predictions", "", "`FILE` .npy of outputs, instead of --model and --data")
	fs.StringVar(&f.labels, "labels", "", "`FILE` .npy of labels, with --predictions")
	fs.StringVar(&f.mask, "mask", "", "`FILE` .npy, 0 where a value does not count")
}

func (f *arrayFlags) used() bool { return f.predictions != "" || f.labels != "" || f.mask != "" }

// alone are the flags that have a meaning without a model.
var alone = map[string]bool{"predictions": true, "labels": true, "mask": true, "types": true, "threshold-steps": true, "top": true,
	"html": true, "save": true, "json": true}

// evaluate compares arrays.
func (f *arrayFlags) evaluate(cmd *cobra.Command, types *typeFlags, out *console.Output) error {
	begin := time.Now()
	if err := required(cmd, "predictions", "labels"); err != nil {
		return err
	}
	if len(types.types) == 0 {
		return usagef("--types is needed with --predictions: %s --help lists them", cmd.CommandPath())
	}
	m := &measure.Output{Types: types.types}
	if err := types.writable(cmd.Context(), []*measure.Output{m}); err != nil {
		return err
	}
	var foreign string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !alone[f.Name] {
			foreign = f.Name
		}
	})
	if foreign != "" {
		return usagef("--%s has no meaning with --predictions, which are evaluated here, without a model", foreign)
	}
	arrays := map[string]*tensor.Dense{}
	for name, path := range map[string]string{"predictions": f.predictions, "labels": f.labels, "mask": f.mask} {
		if path == "" {
			continue
		}
		a, err := npy.ReadFile(cmd.Context(), path)
		if err != nil {
			return fmt.Errorf("--%s: %w", name, err)
		}
		if len(a.Shape) == 1 && name != "mask" { // a single output
			a.Shape = tensor.Shape{a.Shape[0], 1}
		}
		arrays[name] = a
	}
	labels, predictions := arrays["labels"], arrays["predictions"]
	if len(labels.Shape) < 2 || labels.Shape[0] == 0 {
		return fmt.Errorf("--labels: %s has the shape %v: [examples, outputs] are expected, and at least one example", f.labels, labels.Shape)
	}
	if l, p := labels.Shape, predictions.Shape; len(l) == 2 && l[1] == 1 && len(p) == 2 && p[0] == l[0] && p[1] > 1 {
		return fmt.Errorf("--labels: %s has one column, where --predictions has %d: labels have a column for each class, 1 for the right one and 0 else",
			f.labels, p[1])
	}
	types.ineffective(cmd, out, []*measure.Output{m})
	measure.Begin([]*measure.Output{m}, types.settings(), labels.Shape[1], nil)
	for _, e := range m.Evals {
		if err := e.Eval(labels, predictions, arrays["mask"]); err != nil {
			return fmt.Errorf("%s: %w", f.predictions, err)
		}
	}
	if err := eval.CheckCounted(m.Evals...); err != nil {
		return fmt.Errorf("--mask: %s: %w", f.mask, err)
	}
	ev, err := measure.Report(cmd.Context(), out, f.predictions, []*measure.Output{m}, types.files)
	if err != nil {
		return err
	}
	out.Line("%s examples of %s", progress.Count(int64(labels.Shape[0])), f.predictions)
	ev["predictions"], ev["labels"], ev["examples"], ev["seconds"] = f.predictions, f.labels, labels.Shape[0], time.Since(begin).Seconds()
	return out.Done(ev)
}
