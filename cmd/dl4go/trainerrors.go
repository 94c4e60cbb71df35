package main

import (
	"errors"

	"github.com/dl4go/dl4go/train"
)

// flagWords are the command line's words for terms in a run's errors.
var flagWords = map[train.Term]string{
	"Stopping": "--early-stopping", "Stopping.Latest": "--early-stopping: latest", "Pretraining": "--pretrain",
	"Pretraining.Epochs": "--pretrain", "Pretraining.Stopping": "--pretrain-stopping",
	"Save": "--save", "StatsFile": "--stats-file", "Data": "--data", "Augment": "--augment",
	"ClassWeights": "--class-weights", "Batch": "--batch", "Epochs": "--epochs",
	"MaxTime": "--max-time", "OverfitBatches": "--overfit-batches", "FastDevRun": "--fast-dev-run",
	"GradientLimit": "--detect-anomaly", "Profile": "--profile", "RangeTest": "--find-learning-rate",
	"Network": "--model", "Metrics": "--metrics",
	"Iterations": "--iterations", "Seed": "--seed", "Checkpoint.Dir": "--checkpoint",
	"Checkpoint.Every": "--checkpoint-every", "From": "--resume", "Method": "", "Memory": "--memory",
	"Method.Config.ExportDirectory": "--export-directory",
	train.RunResumed:                "dl4go train --resume %s",
	train.ToResume:                  "--resume %s",
	train.OtherSave:                 "--save FILE",
	train.Overwrite:                 "name another file with --save, or overwrite it with --force",
	train.ModelFile:                 "a model for --model",
}

// inFlags makes a run's errors name flags instead of settings. An invalid setting is a mistake in the command line.
func inFlags(err error) error {
	if err == nil {
		return nil
	}
	said := &reworded{err, train.Text(err, flagWords)}
	wrong := (*train.ConfigError)(nil)
	if !errors.As(err, &wrong) {
		return said
	}
	if errors.Is(err, train.ErrNoHeldOut) {
		said.text = flagWords[wrong.Field] + " needs held-out data to score on: --test SOURCE"
	}
	if other := (*train.OtherModelError)(nil); errors.As(err, &other) { // --save has a default
		said.text = train.Text(other, flagWords)
	}
	return &usageError{Err: said}
}

// reworded is an error in words of the command line.
type reworded struct {
	err  error
	text string
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

// failed shows what an interrupted run left.
func (t *training) failed(err error) error {
	var u *train.UnfinishedError
	if !errors.As(err, &u) || !u.Interrupted {
		return err
	}
	if u.Left == nil { // the model could not be saved
		return interruptedf("%w", u.Err)
	}
	t.log.Interrupted(u)
	return interruptedf("%s", train.Text(u.Left, flagWords))
}
