package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/modelfile"
)

// typeFlags say what evaluate measures, and where it saves and draws it.
type typeFlags struct {
	types      []string
	steps, top int
	files      measure.Files
}

// maxThresholdSteps is the maximum in an evaluation's file.
const maxThresholdSteps = 1 << 20

func (f *typeFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringSliceVar(&f.types, "types", nil, "`LIST` evaluations, separated by commas")
	fs.IntVar(&f.steps, "threshold-steps", 0, "`N` steps of the ROC's threshold (default 0: exact)")
	fs.IntVar(&f.top, "top", 1, "`N` count a class among the N most likely")
	fs.StringVar(&f.files.Save, "save", "", "`FILE` write the evaluation as Deeplearning4j's JSON")
	fs.StringVar(&f.files.Page, "html", "", "`FILE` draw charts and the hardest examples on a page")
}

func (f *typeFlags) check(cmd *cobra.Command) error {
	if err := arguments.Positive(cmd, "top"); err != nil {
		return err
	}
	if f.steps < 0 || f.steps > maxThresholdSteps {
		return usagef("--threshold-steps %d: it must be from 0 to %d", f.steps, maxThresholdSteps)
	}
	if err := measure.CheckTypes(f.types); err != nil {
		return usagef("--types: %w", err)
	}
	return nil
}

// settings returns the settings of the types.
func (f *typeFlags) settings() measure.Settings { return measure.Settings{Steps: f.steps, Top: f.top} }

// ineffective warns of flags that have no effect with the chosen types.
func (f *typeFlags) ineffective(cmd *cobra.Command, out *console.Output, all []*measure.Output) {
	for _, of := range []struct {
		flag string
		uses []string
	}{{"top", []string{"classification"}}, {"threshold-steps", []string{"roc", "roc-binary", "roc-multiclass"}}} {
		if cmd.Flags().Changed(of.flag) && !measure.Uses(all, of.uses...) {
			out.Warn("--%s has no effect: it is about %s", of.flag, strings.Join(of.uses, ", "))
		}
	}
	common := func(m *measure.Output) bool { return slices.Equal(m.Types, f.types) }
	if cmd.Flags().Changed("types") && !slices.ContainsFunc(all, common) {
		out.Warn("--types has no effect: --of selects the evaluations of each output")
	}
}

// outputFlags say which of the network's outputs are evaluated.
type outputFlags struct {
	of     []string
	wanted []measure.Wanted
}

func (f *outputFlags) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.of, "of", nil, "`NAME[=TYPES]` outputs to evaluate; repeatable")
}

// check reads the flags.
func (f *outputFlags) check() error {
	for _, text := range f.of {
		wanted, err := measure.ParseWanted(text)
		if err != nil {
			return usagef("--of %w", err)
		}
		f.wanted = append(f.wanted, wanted...)
	}
	return nil
}

// find finds the outputs of --of in the network, or its only output.
func (f *outputFlags) find(net *modelfile.Opened, i source.Info, types []string) ([]*measure.Output, error) {
	all, err := measure.FindOrOnly(net.Network, i, f.wanted, types)
	if err != nil {
		return nil, &usageError{Err: err}
	}
	return all, nil
}
