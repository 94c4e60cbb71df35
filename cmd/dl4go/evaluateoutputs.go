package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/results"
)

// measured is what is measured of one of the network's outputs.
type measured struct {
	output int    // from 0
	name   string // that stands over it; empty where it is the only one that is evaluated
	types  []string
	evals  []eval.Evaluator // a type each
}

// outputFlags say which of the network's outputs are evaluated.
type outputFlags struct {
	of     []string
	wanted []wanted
}

// wanted is an output as --of has it, with its types; nil for those of --types.
type wanted struct {
	output string
	types  []string
}

func (f *outputFlags) add(fs *pflag.FlagSet) {
	fs.StringArrayVar(&f.of, "of", nil, "`NAME[=TYPES]` outputs to evaluate; repeatable")
}

// check reads the flags.
func (f *outputFlags) check() error {
	for _, text := range f.of {
		outputs, list, own := strings.Cut(text, "=")
		var types []string
		if own {
			types = strings.Split(list, ",")
			if err := checkTypes("of "+text, types); err != nil {
				return err
			}
		}
		for _, output := range strings.Split(outputs, ",") {
			if output == "" {
				return usagef("--of %q: an output is missing: its name or number, as --of 0,1 or --of NAME=roc", text)
			}
			f.wanted = append(f.wanted, wanted{output, types})
		}
	}
	return nil
}

// measured finds the outputs in the network, each with its types: those of --of, of --types, or what suits it.
func (f *outputFlags) measured(net *network, info source.Info, types []string) ([]*measured, error) {
	names := results.Outputs(net.Network)
	list := f.wanted
	if len(list) == 0 {
		if len(names) > 1 {
			return nil, usagef("the network has %d outputs, %s: --of says which ones are evaluated", len(names), strings.Join(names, ", "))
		}
		list = []wanted{{output: "0"}}
	}
	var all []*measured
	for _, w := range list {
		k := slices.Index(names, w.output)
		if n, err := strconv.Atoi(w.output); k < 0 && err == nil && n >= 0 && n < len(names) {
			k = n
		}
		if k < 0 {
			return nil, usagef("--of: the network has no output %s: there are %s", w.output, net.outputsText())
		}
		if slices.ContainsFunc(all, func(m *measured) bool { return m.output == k }) {
			return nil, usagef("--of: output %s is there twice", w.output)
		}
		m := &measured{output: k, types: w.types}
		if len(list) > 1 {
			m.name = names[k]
		}
		if m.types == nil {
			m.types = types
		}
		if len(m.types) == 0 {
			m.types = []string{"classification"}
			if !net.hasClasses(k, info) {
				m.types = []string{"regression"}
			}
		}
		all = append(all, m)
	}
	return all, nil
}

// outputsText lists the outputs.
func (n *network) outputsText() string {
	names := results.Outputs(n.Network)
	if len(names) == 1 {
		return "0 alone"
	}
	for i, name := range names {
		names[i] = strconv.Itoa(i) + " (" + name + ")"
	}
	return strings.Join(names, ", ")
}

// hasClasses says whether the labels of output k are classes. Of the data, only those of the first are known.
func (n *network) hasClasses(k int, info source.Info) bool {
	if k == 0 {
		return info.Classes > 0
	}
	return results.IsSoftmax(n.OutputLayers()[k])
}

// ineffective warns of flags that none of the types has a use for.
func (f *typeFlags) ineffective(cmd *cobra.Command, out *console.Output, all []*measured) {
	for _, flag := range []string{"top", "threshold-steps"} {
		uses := []string{"classification"}
		if flag == "threshold-steps" {
			uses = []string{"roc", "roc-binary", "roc-multiclass"}
		}
		used := slices.ContainsFunc(all, func(m *measured) bool {
			return slices.ContainsFunc(m.types, func(t string) bool { return slices.Contains(uses, t) })
		})
		if cmd.Flags().Changed(flag) && !used {
			out.Warn("--%s has no effect: it is about %s", flag, strings.Join(uses, ", "))
		}
	}
	if cmd.Flags().Changed("types") && !slices.ContainsFunc(all, func(m *measured) bool { return slices.Equal(m.types, f.types) }) {
		out.Warn("--types has no effect: --of says what is measured of each output")
	}
}
