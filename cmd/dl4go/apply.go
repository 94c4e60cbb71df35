package main

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/apply"
	"github.com/dl4go/dl4go/internal/arguments"
)

// applyFlags are the common flags of evaluate, predict and score: a trained network is applied to data.
type applyFlags struct {
	engineFlags
	apply.Options
	settings dataFlags
	json     bool
	piped    bool // standard output is for results only
}

func (f *applyFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Model, "model", "", "`FILE` model zip")
	fs.StringVar(&f.Data, "data", "", "`SOURCE` data")
	fs.IntVar(&f.Batch, "batch", 64, "`N` examples at a time; results stay equal")
	fs.BoolVar(&f.NoNormalizer, "no-normalizer", false, "do not apply the model's normalizer")
	addByPosition(fs, &f.ByPosition)
	fs.BoolVar(&f.json, "json", false, "print JSON, one object a line")
	f.engineFlags.add(fs, "local[*]")
	f.addDevice(fs)
}

// addAllowNaN adds --allow-nan, for commands whose results are a network's numbers.
func (f *applyFlags) addAllowNaN(fs *pflag.FlagSet) {
	fs.BoolVar(&f.AllowNaN, "allow-nan", false, "accept results that are NaN or infinite")
}

// open opens the model and the data.
func (f *applyFlags) open(cmd *cobra.Command, w apply.Want) (*apply.Applied, error) {
	out := newOutput(cmd, f.json)
	if f.piped {
		out.Pipe()
	}
	if err := arguments.Required(cmd, "model", "data"); err != nil {
		return nil, err
	}
	if err := arguments.Positive(cmd, "batch", "threads"); err != nil {
		return nil, err
	}
	if err := f.settings.Check(f.Data); err != nil {
		return nil, err
	}
	f.settings.Unlabelled = !w.Labels
	var err error
	if f.Kernels, err = f.Processor(false, out.Warn); err != nil {
		return nil, err
	}
	return apply.Open(cmd.Context(), newPlace(&f.engineFlags, &f.settings, out), f.Options, w)
}
