package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/data/source"
	"github.com/dl4go/dl4go/distributed"
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
	names := fixed()
	if had := r.Notes.Values["data"]; len(had) == 1 && cmd.Flags().Changed("data") && displaced(had[0], t.Data) {
		t.movedFrom = had[0]
		names = slices.DeleteFunc(names, func(name string) bool { return name == "data" })
	}
	if err := flagvalues.Restore(r.Dir(), keptOf(r), cmd.Flags(), names); err != nil {
		r.Close()
		return err
	}
	t.material.From = r
	return nil
}

// displaced reports whether two names of data in files differ in the place alone, so that the data may have moved.
func displaced(had, now string) bool {
	a, errA := source.Parse(had)
	b, errB := source.Parse(now)
	if errA != nil || errB != nil || a.Kind != b.Kind || distributed.NeedsEngine(a) {
		return false
	}
	k, _ := source.KindOf(a.Kind)
	return len(k.About().Settings) > 0 && a.Place != b.Place && maps.Equal(a.Settings, b.Settings)
}

// checkMoved refuses data at another place than that of the run if its examples are not read here: a checkpoint has no
// checksum of them.
func (t *training) checkMoved() error {
	if _, away := t.material.Train.(source.Sampled); away && t.movedFrom != "" {
		return usagef("--data %s: the run in %s has %s, and workers read it, so nothing shows that the examples are "+
			"the same; put the data there again", t.Data, t.material.From.Dir(), t.movedFrom)
	}
	return nil
}

// keptOf returns the flags that a run has kept in its checkpoint.
func keptOf(r *train.Resumed) flagvalues.Kept {
	return flagvalues.Kept{Values: r.Notes.Values, Secret: r.Notes.Secret, Epochs: r.Epochs}
}
