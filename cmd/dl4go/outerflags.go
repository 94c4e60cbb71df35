package main

import (
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/distributed/paramavg"
	"github.com/dl4go/dl4go/internal/usage"
)

// outerFlags are the flags of an outer optimiser.
type outerFlags struct {
	rule string
	paramavg.Outer
}

func (f *outerFlags) add(fs *pflag.FlagSet) {
	usual := paramavg.DefaultOuter(paramavg.NoOuter)
	fs.StringVar(&f.rule, "outer", "", "`HOW` outer optimiser: nesterov or sgd (default: average)")
	fs.Float64Var(&f.LearningRate, "outer-learning-rate", usual.LearningRate, "`RATE` learning rate of --outer")
	fs.Float64Var(&f.Momentum, "outer-momentum", usual.Momentum, "`M` momentum of --outer, from 0 to below 1")
}

// check checks the flags and applies them to the configuration.
func (f *outerFlags) check(c *paramavg.Config, given func(string) bool) (err error) {
	if f.rule == "" {
		return usage.GoesWith(given, "--outer nesterov or sgd", "outer-learning-rate", "outer-momentum")
	}
	if f.Rule, err = usage.Choose("outer", f.rule, paramavg.OuterNesterov, paramavg.OuterSGD); err != nil {
		return err
	}
	if given("save-updater") {
		return usagef("--save-updater has no effect with --outer: each worker keeps its own updater state")
	}
	c.Outer = f.Outer
	if err := c.Outer.Validate(); err != nil {
		return &usageError{Err: err}
	}
	return nil
}
