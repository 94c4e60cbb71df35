package measure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/eval"
	"github.com/dl4go/dl4go/internal/registry"
	"github.com/dl4go/dl4go/internal/results"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/layer"
)

// Output is the evaluation of one of a network's outputs.
type Output struct {
	Index int    // from 0
	Name  string // empty if it is the only output that is evaluated
	Types []string
	Evals []eval.Evaluator // one per type; see Begin
	Cases *eval.Cases      // for the page; nil for none
}

// Wanted is an output that a user names, with its types; nil means the types for all outputs.
type Wanted struct {
	Output string // name or number
	Types  []string
}

// ParseWanted reads a list NAME or NAME=TYPES, with commas between names and between types.
func ParseWanted(text string) (all []Wanted, err error) {
	outputs, list, own := strings.Cut(text, "=")
	var types []string
	if own {
		types = strings.Split(list, ",")
		if err := CheckTypes(types); err != nil {
			return nil, fmt.Errorf("%s: %w", text, err)
		}
	}
	for _, output := range strings.Split(outputs, ",") {
		if output == "" {
			return nil, fmt.Errorf("%q: an output is missing: its name or number, as --of 0,1 or --of NAME=roc", text)
		}
		all = append(all, Wanted{output, types})
	}
	return all, nil
}

// CheckTypes refuses unknown types.
func CheckTypes(list []string) error {
	known := Types()
	for i, name := range list {
		if !slices.Contains(known, name) {
			return fmt.Errorf("%q is none of %s%s", name, strings.Join(known, ", "), registry.SuggestWord(name, known))
		}
		if slices.Contains(list[:i], name) {
			return fmt.Errorf("%s is there twice", name)
		}
	}
	return nil
}

// Find finds the wanted outputs in a network that is evaluated on data. Each has its own types, the types for all, or
// those that suit it.
func Find(net *nn.Network, info source.Info, list []Wanted, types []string) ([]*Output, error) {
	names := results.Outputs(net)
	var all []*Output
	for _, w := range list {
		k := slices.Index(names, w.Output)
		if n, err := strconv.Atoi(w.Output); k < 0 && err == nil && n >= 0 && n < len(names) {
			k = n
		}
		if k < 0 {
			return nil, fmt.Errorf("the network has no output %s: there are %s", w.Output, numbered(names))
		}
		if slices.ContainsFunc(all, func(o *Output) bool { return o.Index == k }) {
			return nil, fmt.Errorf("output %s is there twice", w.Output)
		}
		o := &Output{Index: k, Types: w.Types}
		if len(list) > 1 {
			o.Name = names[k]
		}
		if o.Types == nil {
			o.Types = types
		}
		if len(o.Types) == 0 {
			o.Types = []string{"classification"}
			if !hasClasses(k, net.OutputLayers()[k], info) {
				o.Types = []string{"regression"}
			}
		}
		all = append(all, o)
	}
	return all, nil
}

// FindOrOnly is [Find] for the values of --of. Without any, it finds the only output of the network.
func FindOrOnly(net *nn.Network, info source.Info, list []Wanted, types []string) ([]*Output, error) {
	if len(list) == 0 {
		if names := results.Outputs(net); len(names) > 1 {
			return nil, fmt.Errorf("the network has %d outputs, %s: --of says which ones are evaluated", len(names),
				strings.Join(names, ", "))
		}
		list = []Wanted{{Output: "0"}}
	}
	all, err := Find(net, info, list, types)
	if err != nil {
		return nil, fmt.Errorf("--of: %w", err)
	}
	return all, nil
}

// numbered lists the outputs with their numbers.
func numbered(names []string) string {
	if len(names) == 1 {
		return "0 alone"
	}
	for i, name := range names {
		names[i] = strconv.Itoa(i) + " (" + name + ")"
	}
	return strings.Join(names, ", ")
}

// hasClasses reports whether the labels of output k are classes. The data only says so for the first output.
func hasClasses(k int, output layer.Layer, info source.Info) bool {
	if k == 0 {
		return info.Classes > 0
	}
	return results.IsSoftmax(output)
}

// Begin gives each output empty evaluations of its types. classes and labels are the first output's, as far as they
// are known.
func Begin(all []*Output, s Settings, classes int, labels []string) {
	for _, o := range all {
		n, names := classes, labels
		if o.Index > 0 {
			n, names = 0, nil
		}
		for _, kind := range o.Types {
			o.Evals = append(o.Evals, New(kind, s, n, names))
		}
	}
}

// Uses reports whether one of the outputs is evaluated by one of these types.
func Uses(all []*Output, types ...string) bool {
	return slices.ContainsFunc(all, func(o *Output) bool {
		return slices.ContainsFunc(o.Types, func(t string) bool { return slices.Contains(types, t) })
	})
}
