package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/progress"
)

// section is a heading of a help text, and the flags below it. Only --help-all shows those of rare.
type section struct {
	title     string
	elsewhere string // the title for commands other than train
	flags     []string
	rare      []string
	shownBy   []string // commands whose --help also shows the rare ones
}

// sections returns all flags of all commands, in the order of help texts.
func sections() []section {
	settings := func(rare bool) []string {
		names := dataFlagNames(func(r bool) bool { return r == rare })
		return slices.DeleteFunc(names, func(name string) bool { return name == "labels" }) // it is beside --data
	}
	return []section{
		{title: "Network and data",
			flags: []string{"model", "data", "test", "output", "predictions", "labels", "mask",
				"program", "join", "right"},
			rare: []string{"normalize", "no-normalizer", "by-position"}, shownBy: []string{"train", "evaluate", "predict",
				"score"}},
		{title: "Search",
			flags: []string{"search", "trials"}, rare: []string{"metric", "keep", "space"}},
		{title: "Columns and rows",
			rare: []string{"pipeline", "split", "no-pipeline", "missing", "missing-values", "max-categories", "embed", "text",
				"drop", "sample"}, shownBy: []string{"inspect", "transform"}},
		{title: "Built-in networks",
			rare: []string{"hidden", "dropout", "learning-rate", "l2"}, shownBy: []string{"tune"}},
		{title: "More of built-in networks",
			rare: []string{"layers", "activation", "updater", "l1", "weight-decay", "task"}},
		{title: "Data settings",
			flags: settings(false), rare: settings(true)},
		{title: "Training", elsewhere: "How it runs",
			flags: []string{"training", "epochs", "batch", "seed", "early-stopping", "dry-run"},
			rare: []string{"cross-validate", "class-weights", "augment", "iterations", "pretrain", "pretrain-stopping",
				"updates-threshold"}},
		{title: "Bounds, trials and looks inside",
			rare: []string{"max-time", "fast-dev-run", "overfit-batches", "detect-anomaly", "profile",
				"find-learning-rate"}},
		{title: "Results",
			flags: []string{"types", "of", "top", "threshold-steps", "examples", "regularization", "save", "html",
				"stats-file", "ui", "mode", "format", "arrays", "no-header", "allow-nan", "rows", "dl4j", "title", "to",
				"experiment", "json"},
			rare: []string{"metrics", "force", "without-updater", "tensorboard", "mlflow", "metrics-address", "stats",
				"time-server",
				"time-frequency", "ui-cert", "ui-key", "ui-insecure"}, shownBy: []string{"ui"}},
		{title: "Files of other programs",
			flags: []string{"input-shape", "masks", "outputs", "like"}},
		{title: "Checkpoints",
			flags: []string{"checkpoint", "resume"},
			rare:  []string{"checkpoint-every", "checkpoint-lease"}},
		{title: "Where work runs",
			flags: []string{"master", "workers", "threads", "listen", "address", "credentials", "jobs", "dir", "older-than"},
			rare: []string{"memory", "device", "precision", "device-memory", "workers-per-device", "device-plugins", "kernel",
				"replicas"}, shownBy: []string{"summary"}},
		{title: "Server",
			flags: []string{"http", "grpc", "reload", "timeout", "drain", "log-requests", "tls-cert", "tls-key",
				"client-ca", "access-token"},
			rare: []string{"max-batch", "max-delay", "max-queue", "max-request", "max-held"}},
		{title: "Where plugins come from",
			flags: []string{"index", "proxy", "from"}},
		{title: "Connection to Spark",
			rare:    []string{"token-file", "ca-file", "client-cert", "client-key", "server-name", "insecure", "worker-binary"},
			shownBy: []string{"doctor", "clean"}},
		{title: "Data on the workers",
			rare: []string{"approach", "export-directory", "keep-exported", "repartition", "repartition-strategy",
				"storage-level",
				"storage-level-streams", "prefetch"}},
		{title: "Parameter averaging",
			rare: []string{"averaging-frequency", "aggregation-depth", "save-updater", "rounds", "outer",
				"outer-learning-rate", "outer-momentum"}},
		{title: "Gradient sharing", rare: []string{"sharing-config", "combine", "values", "thresholds", "release", "warm-up",
			"mask-momentum", "mesh", "encoding-debug"}},
		{title: "Resident workers",
			rare: []string{"network-mask", "controller-address", "unicast-port", "coordinator"}, shownBy: []string{"doctor"}},
		{title: "Help",
			flags: []string{"help", "help-all", "version"}},
	}
}

// helpAll is the flag that shows everything. more is the annotation with the text that only this flag shows.
const (
	helpAll = "help-all"
	more    = "more"
)

// takeHelpAll replaces --help-all among the arguments by --help, and reports whether it was there.
func takeHelpAll(args []string) ([]string, bool) {
	for i, arg := range args {
		switch arg {
		case "--":
			return args, false
		case "--" + helpAll:
			args = slices.Clone(args)
			args[i] = "--help"
			return args, true
		}
	}
	return args, false
}

// help prints the purpose of a command, its usage, and its flags by section.
func help(w io.Writer, cmd *cobra.Command, all bool) {
	fmt.Fprintln(w, cmd.Long)
	if text := cmd.Annotations[more]; all && text != "" {
		fmt.Fprintf(w, "\n%s\n", strings.TrimSpace(text))
	}
	fmt.Fprintf(w, "\nUsage:\n  %s\n", cmd.UseLine())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintln(w, "\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-12s %s\n", c.Name(), c.Short)
			}
		}
	}
	hidden := 0
	for _, s := range sections() {
		shown := s.flags
		if all || slices.Contains(s.shownBy, cmd.Name()) {
			shown = slices.Concat(s.flags, s.rare)
		} else {
			hidden += len(known(cmd, s.rare))
		}
		lines := known(cmd, shown)
		if len(lines) == 0 {
			continue
		}
		title := s.title
		if s.elsewhere != "" && cmd.Name() != "train" {
			title = s.elsewhere
		}
		fmt.Fprintf(w, "\n%s:\n", title)
		for _, f := range lines {
			fmt.Fprintln(w, flagLine(f))
		}
	}
	if hidden > 0 || !all && cmd.Annotations[more] != "" {
		fmt.Fprintf(w, "\n%s --help-all explains more", cmd.CommandPath())
		if hidden > 0 {
			fmt.Fprintf(w, ", and has %s", progress.Plural(hidden, "further flag"))
		}
		fmt.Fprintln(w, ".")
	}
}

// known returns those of the named flags that the command has.
func known(cmd *cobra.Command, names []string) []*pflag.Flag {
	var flags []*pflag.Flag
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			f = cmd.InheritedFlags().Lookup(name)
		}
		if f != nil {
			flags = append(flags, f)
		}
	}
	return flags
}

// textColumn is the column at which the texts about flags begin.
const textColumn = 29

// flagLine returns a flag's line: its name, the name of its value, its effect, and its default. A usage text begins
// with the value's name in backquotes, unless the flag is a switch.
func flagLine(f *pflag.Flag) string {
	name, text := "--"+f.Name, f.Usage
	if f.Shorthand != "" {
		name = "-" + f.Shorthand + ", " + name
	}
	if rest, ok := strings.CutPrefix(text, "`"); ok {
		value, rest, _ := strings.Cut(rest, "`")
		if f.NoOptDefVal == "" {
			name += " "
		}
		name, text = name+value, rest
		if !strings.HasPrefix(rest, ".") {
			text = strings.TrimSpace(rest)
		}
	}
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
	default:
		if !strings.Contains(text, "(default") {
			text += fmt.Sprintf(" (default %s)", f.DefValue)
		}
	}
	return fmt.Sprintf("  %-*s %s", textColumn-3, name, text)
}
