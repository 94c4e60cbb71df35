package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/results"
)

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
func (f *outputFlags) find(net *modelfile.Opened, i source.Info, types []string) (all []*measure.Output, err error) {
	list := f.wanted
	if len(list) == 0 {
		if names := results.Outputs(net.Network); len(names) > 1 {
			return nil, usagef("the network has %d outputs, %s: --of says which ones are evaluated", len(names),
				strings.Join(names, ", "))
		}
		list = []measure.Wanted{{Output: "0"}}
	}
	if all, err = measure.Find(net.Network, i, list, types); err != nil {
		return nil, usagef("--of: %w", err)
	}
	return all, nil
}

// ineffective warns of flags that have no effect with the chosen types.
func (f *typeFlags) ineffective(cmd *cobra.Command, out *console.Output, all []*measure.Output) {
	for _, flag := range []string{"top", "threshold-steps"} {
		uses := []string{"classification"}
		if flag == "threshold-steps" {
			uses = []string{"roc", "roc-binary", "roc-multiclass"}
		}
		if cmd.Flags().Changed(flag) && !measure.Uses(all, uses...) {
			out.Warn("--%s has no effect: it is about %s", flag, strings.Join(uses, ", "))
		}
	}
	common := func(m *measure.Output) bool { return slices.Equal(m.Types, f.types) }
	if cmd.Flags().Changed("types") && !slices.ContainsFunc(all, common) {
		out.Warn("--types has no effect: --of says what is measured of each output")
	}
}
