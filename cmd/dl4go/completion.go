package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/engine"
	"github.com/dl4go/dl4go/internal/about"
	"github.com/dl4go/dl4go/internal/livepage"
	"github.com/dl4go/dl4go/internal/measure"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/train"
)

// values are a shell's suggestions for a flag, by the flag's name. For all other flags, it suggests files.
var values = map[string]func() []string{
	"missing":   oneOf("median", "mean", "drop", "error"),
	"training":  oneOf(byAveraging, bySharing, byPlain),
	"normalize": oneOf("standardize", "minmax"), "approach": oneOf("direct", "export"),
	"rounds": oneOf(string(paramavg.Jobs), string(paramavg.Resident)),
	"outer":  oneOf(string(paramavg.OuterNesterov), string(paramavg.OuterSGD)),
	"mesh":   oneOf("plain", "mesh"), "combine": oneOf("mean", "root", "sum"), "release": oneOf("sum", "each"),
	"values": oneOf("mean", "threshold"), "thresholds": oneOf("array", "layer", "network"),
	"repartition": oneOf(string(paramavg.Always), string(paramavg.Never),
		string(paramavg.NumPartitionsWorkersDiffers)),
	"repartition-strategy": oneOf(string(paramavg.Balanced), string(paramavg.SparkDefault),
		string(paramavg.ApproximateBalanced)),
	"storage-level":         storageLevels,
	"storage-level-streams": storageLevels,
	"mode":                  oneOf(string(engine.ErrorIfExists), string(engine.Append), string(engine.Overwrite)),
	"types":                 measure.Types,
	"activation":            lower(activation.Names),
	"updater":               lower(updater.Names),
	"task":                  oneOf(string(nn.Classification), string(nn.Regression), string(nn.MultiLabel)),
	"master":                oneOf("local[*]", "local[2]", "processes[2]", "sc://"),
	"device":                oneOf("cpu", "gpu", "gpu:0", "xla-cpu", "auto"),
	"metrics":               train.MetricNames,
	"ui":                    oneOf(livepage.DefaultAddress, "127.0.0.1:8080"),
	"metrics-address":       oneOf("127.0.0.1:9464"),
	"precision":             oneOf("float32", "tf32", "bf16"),
	"kernel":                about.Kernels,
}

func oneOf(values ...string) func() []string { return func() []string { return values } }

// lower returns names in lower case, which is easier to type.
func lower(names func() []string) func() []string {
	return func() (all []string) {
		for _, n := range names() {
			all = append(all, strings.ToLower(n))
		}
		return all
	}
}

func storageLevels() []string {
	return []string{string(engine.MemoryOnly), string(engine.MemoryAndDisk), string(engine.MemoryOnlySer),
		string(engine.DiskOnly)}
}

// complete makes a shell suggest the values of a command's flags and of settings of data. A --model may also be a file.
func complete(cmd *cobra.Command, settings []source.Setting) {
	offer := func(flag string, values func() []string, also cobra.ShellCompDirective) {
		if cmd.Flags().Lookup(flag) == nil {
			return
		}
		err := cmd.RegisterFlagCompletionFunc(flag, func(*cobra.Command, []string, string) ([]string,
			cobra.ShellCompDirective) {
			return values(), also
		})
		if err != nil {
			panic(err) // a duplicate for one flag
		}
	}
	for flag, of := range values {
		offer(flag, of, cobra.ShellCompDirectiveNoFileComp)
	}
	for _, s := range settings {
		offer(s.FlagName(), oneOf(s.Offer...), cobra.ShellCompDirectiveNoFileComp)
	}
	if cmd.Name() == "train" || cmd.Name() == "summary" {
		offer("model", nn.BuiltIns, cobra.ShellCompDirectiveDefault)
	}
}
