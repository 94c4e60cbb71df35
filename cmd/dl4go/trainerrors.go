package main

import (
	"errors"
	"strings"

	"github.com/dl4go/dl4go/train"
)

// flagOf names the flags that stand for the settings of a run, as its errors name them. Of two that begin alike,
// the longer one comes first.
var flagOf = []string{
	"Pretraining.Stopping: it needs HeldOut, data", "--pretrain-stopping needs held-out data",
	"Stopping: it needs HeldOut, data to score on", "--early-stopping needs held-out data to score on: --test SOURCE",
	"Stopping: latest is the file of Save", "--early-stopping: latest is the file of --save",
	"Stopping.Latest", "--early-stopping: latest",
	"Pretraining.Stopping", "--pretrain-stopping",
	"Pretraining", "--pretrain",
	"Stopping", "--early-stopping",
	"Save", "--save",
	"StatsFile", "--stats-file",
	"Checkpoint.Dir", "--checkpoint",
	"Data", "--data",
	"Batch", "--batch",
	"Epochs", "--epochs",
	"Iterations", "--iterations",
	"Seed", "--seed",
	"Method.Config.ExportDirectory", "--export-directory",
	"Method: ", "",
	"From: ", "--resume ",
}

// inFlags has the errors of a run speak of flags, not of settings. A setting that makes no sense is a mistake in
// the command line.
func (t *training) inFlags(err error) error {
	if err == nil {
		return nil
	}
	pairs := []string{
		" with another Save saves it", " --save FILE saves it", "; a run resumed from ", "; dl4go train --resume ",
		": a run resumed from ", ": dl4go train --resume ", "; Resume of ", "; --resume ",
		"train.Config.Save: " + t.save + " holds another network", t.save + " holds another network",
		"train.Config.StatsFile: " + t.stats.file + ": it has", "--stats-file " + t.stats.file + ": it has",
		"train.Config.StatsFile: " + t.stats.file + ": the run that", "--stats-file " + t.stats.file + ": the run that",
		"; set another file, or Overwrite", "; name another file with --save, or overwrite it with --force",
		"each of the files is a model file", "each of the files is a model for --model",
	}
	for i := 0; i < len(flagOf); i += 2 {
		pairs = append(pairs, "train.Config."+flagOf[i], flagOf[i+1])
	}
	text := strings.NewReplacer(pairs...).Replace(err.Error())
	if text != err.Error() {
		err = &reworded{err, text}
	}
	if wrong := (*train.ConfigError)(nil); errors.As(err, &wrong) {
		return &usageError{err}
	}
	return err
}

// reworded is an error in words of the command line.
type reworded struct {
	err  error
	text string
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }

// failed tells what a run has left that did not reach its end.
func (t *training) failed(err error) error {
	var u *train.UnfinishedError
	if !errors.As(err, &u) || !u.Interrupted {
		return err
	}
	if u.Left == "" { // the model could not be saved
		return interruptedf("%w", u.Err)
	}
	t.log.Interrupted(u)
	return interruptedf("%s", u.Left)
}
