package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dl4go/dl4go/internal/console"
	"github.com/dl4go/dl4go/internal/prepare"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/serve"
	"github.com/dl4go/dl4go/storage"
	"github.com/dl4go/dl4go/train"
)

// notByFold lists flags that can't be combined with --cross-validate, with the reason.
var notByFold = []struct{ flag, why string }{
	{"split", "the folds say what is held out"}, {"test", "the folds say what is held out"},
	{"early-stopping", "a network would be chosen by the fold that scores it"},
	{"checkpoint", "a fold can't be resumed"}, {"resume", "a fold can't be resumed"},
	{"stats", "there are several runs"}, {"stats-file", "there are several runs"},
	{"tensorboard", "there are several runs"}, {"dry-run", "there are several runs"},
	{"ui", "there are several runs"},
	{"mlflow", "there are several runs"}, {"metrics-address", "there are several runs"},
}

// checkFolds reads --cross-validate.
func (f *trainFlags) checkFolds(given func(string) bool) (err error) {
	if !given("cross-validate") {
		return nil
	}
	for _, other := range notByFold {
		if given(other.flag) {
			return usagef("--%s and --cross-validate can't be given together: %s", other.flag, other.why)
		}
	}
	for _, name := range []string{"force", "without-updater"} {
		if given(name) && !given("save") {
			return usagef("--%s needs --save: --cross-validate saves a model only with it", name)
		}
	}
	f.Columns.Given = append(f.Columns.Given, "cross-validate")
	if f.Columns.Settings.Split, err = prepare.ParseFolds(f.folds); err != nil {
		return usagef("--cross-validate %w", err)
	}
	return nil
}

// crossValidate trains a network for each fold on the rows of the others, scores it on the fold's rows, and prints the
// mean. Neither the pipeline nor the network learns from the rows that it is scored on. With --save a model is finally
// trained on all rows.
func (t *training) crossValidate(cmd *cobra.Command) error {
	begun, saved := *t.trainFlags, ""
	if cmd.Flags().Changed("save") {
		saved = begun.save
		if err := storage.CheckWritable(cmd.Context(), saved); err != nil {
			return fmt.Errorf("--save: %w", err)
		}
	}
	told := &trainlog.Folds{Output: t.out, Of: t.Columns.Settings.Split.Folds}
	quiet := console.New(io.Discard, cmd.ErrOrStderr(), false)
	one := func(split prepare.Split, save string) (*train.Result, error) {
		*t.trainFlags = begun
		m := &t.material
		m.Network, m.Train, m.HeldOut, m.Normalizer = nil, nil, nil, ""
		m.Out = quiet
		t.out, t.log = quiet, &trainlog.Log{Output: quiet}
		t.Columns.Settings.Split, t.save = split, save
		return t.trainOnce(cmd)
	}
	for i := range told.Of {
		split := begun.Columns.Settings.Split
		split.Fold = i
		r, err := one(split, "")
		if err != nil {
			return t.foldFailed(cmd, fmt.Sprintf("fold %d of %d", i+1, told.Of), err)
		}
		told.Add(t.material.Train.Info().Examples, t.material.HeldOut.Info().Examples, r)
	}
	if saved != "" {
		if _, err := one(prepare.Split{}, saved); err != nil {
			return t.failed(inFlags(err))
		}
	}
	return told.Finish(saved)
}

// trainOnce opens the data, and trains a new network.
func (t *training) trainOnce(cmd *cobra.Command) (*train.Result, error) {
	if err := t.material.Open(cmd.Context(), cmd.Flags().Changed("seed")); err != nil {
		return nil, err
	}
	if t.material.Network.Trained {
		return nil, usagef("--cross-validate: %s is trained already, maybe on rows that would be held out; give a built-in "+
			"network or a configuration", t.Model)
	}
	run, executor, err := t.begin(cmd)
	if err != nil {
		return nil, inFlags(err)
	}
	defer executor.Close()
	defer run.Close()
	t.log.Run, t.log.Model, t.log.Title = run, t.Model, t.material.Network.Title
	return run.Train(cmd.Context())
}

// foldFailed adds to an error which fold failed.
func (t *training) foldFailed(cmd *cobra.Command, where string, err error) error {
	if cmd.Context().Err() != nil {
		return interruptedf("%s is not complete; nothing is saved", where)
	}
	if wrong := (*usageError)(nil); errors.As(err, &wrong) {
		return err
	}
	return fmt.Errorf("%s: %w", where, inFlags(err))
}

// ready returns the checked settings of a run, with its engine.
func (t *training) ready(cmd *cobra.Command) (train.Config, error) {
	c, err := t.config(cmd)
	if err != nil {
		return c, err
	}
	return t.material.Ready(cmd.Context(), c, t.diagnosis.rates == "") // a range test writes no files
}

// begin makes a run according to the flags, and the executor of its network.
func (t *training) begin(cmd *cobra.Command) (*train.Run, serve.Executor, error) {
	c, err := t.ready(cmd)
	if err != nil {
		return nil, nil, err
	}
	return t.material.Begin(cmd.Context(), c)
}
