package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/train"
)

// fixed returns the flags that must not change when a run is resumed, including those of data.
func fixed() []string {
	return append([]string{"model", "data", "training", "iterations", "batch", "pretrain", "pretrain-stopping", "seed",
		"overfit-batches",
		"normalize", "no-normalizer", "class-weights", "by-position", "workers", "early-stopping",
		"averaging-frequency", "aggregation-depth", "save-updater", "repartition", "repartition-strategy", "sharing-config",
		"outer", "outer-learning-rate", "outer-momentum", "combine", "values", "thresholds", "release",
		"warm-up", "mask-momentum", "updates-threshold"},
		slices.Concat(dataFlagNames(func(bool) bool { return true }), shapeNames, prepareNames)...)
}

// readCheckpoint reads the last checkpoint, and restores the values of flags that were not given. Given flags must not
// contradict it.
func (t *training) readCheckpoint(cmd *cobra.Command) error {
	r, err := train.Resume(cmd.Context(), t.checkpoints.resume, t.checkpoints.claim(cmd))
	if about := (*train.FileError)(nil); errors.As(err, &about) {
		return inFlags(err)
	}
	if err != nil {
		return fmt.Errorf("--resume: %w", err)
	}
	for _, d := range r.Damaged {
		fmt.Fprintf(cmd.ErrOrStderr(), "dl4go: warning: a checkpoint is damaged; an earlier one takes its place: %v\n",
			console.OneLine(d))
	}
	if err := restoreFlags(r.Dir(), r.Notes, r.Epochs, cmd.Flags(), fixed()); err != nil {
		r.Close()
		return err
	}
	t.from = r
	return nil
}

// restoreFlags sets the flags. Those in fixed must not change.
func restoreFlags(at string, kept train.Notes, epochs int, flags *pflag.FlagSet, fixed []string) error {
	for _, name := range fixed {
		f := flags.Lookup(name)
		if f == nil || !f.Changed {
			continue
		}
		had, was := kept.Values[name]
		if !was {
			had = []string{f.DefValue}
		}
		if given := valuesOf(f); !slices.Equal(given, had) {
			return usagef("--%s %s: the run in %s has %s, which can't change when it goes on",
				name, strings.Join(given, ","), at, strings.Join(had, ","))
		}
	}
	for name, values := range kept.Values {
		f := flags.Lookup(name)
		if f == nil {
			return fmt.Errorf("--resume %s: the run has a flag --%s, which this program does not know", at, name)
		}
		if f.Changed {
			continue
		}
		if err := setValues(flags, f, values); err != nil {
			return fmt.Errorf("--resume %s: the run's flag --%s: %w", at, name, err)
		}
	}
	for _, name := range kept.Secret {
		if !flags.Changed(name) {
			return usagef("--%s is to be given again with --resume: it has a token, which checkpoints don't keep", name)
		}
	}
	if n, err := flags.GetInt("epochs"); err == nil && n > 0 && n < epochs {
		return usagef("--epochs %d: the run in %s has done %d", n, at, epochs)
	}
	return nil
}

func valuesOf(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// setValues sets a flag to the result of valuesOf.
func setValues(flags *pflag.FlagSet, f *pflag.Flag, values []string) error {
	// Set, not Replace: a flag that was not set is missing in the next record.
	if _, ok := f.Value.(pflag.SliceValue); ok {
		return flags.Set(f.Name, source.JoinValues(values))
	}
	if len(values) != 1 {
		return fmt.Errorf("it has %d values", len(values))
	}
	return flags.Set(f.Name, values[0])
}

// resumedNetwork returns the checkpoint's network.
func (t *training) resumedNetwork() (*modelfile.Opened, error) {
	net, err := modelfile.FromNetwork(t.from.Network, t.model, t.seed)
	if err != nil {
		return nil, fmt.Errorf("--resume %s: %w", t.from.Dir(), err)
	}
	return net, nil
}
