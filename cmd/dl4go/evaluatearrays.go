package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/progress"
)

// arrayFlags are the flags of evaluate that replace a model and data.
type arrayFlags struct{ measure.Arrays }

func (f *arrayFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Predictions, "predictions", "", "`FILE` .npy of outputs, instead of --model and --data")
	fs.StringVar(&f.Labels, "labels", "", "`FILE` .npy of labels, with --predictions")
	fs.StringVar(&f.Mask, "mask", "", "`FILE` .npy, 0 where a value does not count")
}

func (f *arrayFlags) used() bool { return f.Predictions != "" || f.Labels != "" || f.Mask != "" }

// alone are the flags that have a meaning without a model.
var alone = map[string]bool{"predictions": true, "labels": true, "mask": true, "types": true, "threshold-steps": true,
	"top":  true,
	"html": true, "save": true, "json": true}

// run compares arrays.
func (f *arrayFlags) run(cmd *cobra.Command, types *typeFlags, out *console.Output) error {
	begin := time.Now()
	if err := arguments.Required(cmd, "predictions", "labels"); err != nil {
		return err
	}
	if len(types.types) == 0 {
		return usagef("--types is needed with --predictions: %s --help lists them", cmd.CommandPath())
	}
	m := &measure.Output{Types: types.types}
	if err := types.files.CheckWritable(cmd.Context(), []*measure.Output{m}); err != nil {
		return err
	}
	var foreign string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if !alone[f.Name] {
			foreign = f.Name
		}
	})
	if foreign != "" {
		return usagef("--%s has no effect with --predictions, which are evaluated here, without a model; "+
			"leave it out", foreign)
	}
	types.ineffective(cmd, out, []*measure.Output{m})
	ev, err := f.Report(cmd.Context(), out, m, types.settings(), types.files)
	if err != nil {
		return err
	}
	out.Line("%s examples of %s", progress.Count(int64(f.Examples())), f.Predictions)
	ev["seconds"] = time.Since(begin).Seconds()
	return out.Done(ev)
}
