package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/flagvalues"
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
	if err := flagvalues.Restore(r.Dir(), keptOf(r), cmd.Flags(), fixed()); err != nil {
		r.Close()
		return err
	}
	t.material.From = r
	return nil
}

// keptOf returns the flags that a run has kept in its checkpoint.
func keptOf(r *train.Resumed) flagvalues.Kept {
	return flagvalues.Kept{Values: r.Notes.Values, Secret: r.Notes.Secret, Epochs: r.Epochs}
}
