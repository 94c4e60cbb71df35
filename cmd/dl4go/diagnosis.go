package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/arguments"
	"github.com/dl4go/dl4go/internal/trainlog"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/stats"
	"github.com/dl4go/dl4go/train"
)

// diagnosisFlags limit a run, try it, or inspect it.
type diagnosisFlags struct {
	maxTime time.Duration
	overfit int
	fastDev bool
	anomaly float64
	profile string
	rates   string
}

// noFile is the value of --profile without a file.
const noFile = "-"

func (f *diagnosisFlags) add(fs *pflag.FlagSet) {
	fs.DurationVar(&f.maxTime, "max-time", 0, "`TIME` end after the step under way, such as 90s or 2h")
	fs.IntVar(&f.overfit, "overfit-batches", 0, "`N` train on N minibatches alone, and score these")
	fs.BoolVar(&f.fastDev, "fast-dev-run", false, "try everything on one minibatch; keep nothing")
	fs.Float64Var(&f.anomaly, "detect-anomaly", 0, "`[=NORM]` name the first NaN or exploding gradient")
	fs.Lookup("detect-anomaly").NoOptDefVal = fmt.Sprint(nn.DefaultGradientLimit)
	fs.StringVar(&f.profile, "profile", "", "`[=FILE]` time operations: .html, .json, .folded")
	fs.Lookup("profile").NoOptDefVal = noFile
	fs.StringVar(&f.rates, "find-learning-rate", "", "`[=FILE]` try rising rates: .html, .json")
	fs.Lookup("find-learning-rate").NoOptDefVal = noFile
}

func (f *diagnosisFlags) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	if given("max-time") && f.maxTime <= 0 {
		return usagef("--max-time %v: it must be more than 0", f.maxTime)
	}
	if given("detect-anomaly") && !(f.anomaly > 0) {
		return usagef("--detect-anomaly=%v: the norm of a gradient must be more than 0", f.anomaly)
	}
	if f.profile != "" && f.profile != noFile {
		if err := stats.CheckProfileEnding(f.profile); err != nil {
			return usagef("--profile=%w", err)
		}
	}
	if f.rates != "" && f.rates != noFile {
		if err := stats.CheckRatesEnding(f.rates); err != nil {
			return usagef("--find-learning-rate=%w", err)
		}
	}
	if err := usage.Apart(given, "find-learning-rate", "resume", "cross-validate", "dry-run", "fast-dev-run",
		"overfit-batches"); err != nil {
		return err
	}
	if f.fastDev {
		if err := usage.Apart(given, "fast-dev-run", "dry-run", "resume", "cross-validate", "overfit-batches",
			"iterations"); err != nil {
			return err
		}
	}
	return arguments.Positive(cmd, "overfit-batches")
}

// config applies the flags to a run.
func (f *diagnosisFlags) config(c *train.Config) {
	c.MaxTime, c.OverfitBatches, c.FastDevRun = f.maxTime, f.overfit, f.fastDev
	c.GradientLimit, c.Profile = f.anomaly, f.profile != ""
}

// findRate tests learning rates, instead of training.
func findRate(cmd *cobra.Command, t *training) error {
	c, err := t.ready(cmd)
	if err != nil {
		return err
	}
	found, err := train.FindLearningRate(cmd.Context(), c, train.RangeTest{})
	if err != nil {
		return err
	}
	return trainlog.Rates(cmd.Context(), t.out, found, t.diagnosis.rates, t.material.Network.Title)
}
