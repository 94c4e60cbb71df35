package main

import (
	"github.com/spf13/pflag"

	"github.com/dl4go/dl4go/internal/modelfile"
	"github.com/dl4go/dl4go/internal/usage"
	"github.com/dl4go/dl4go/nn"
	"github.com/dl4go/dl4go/nn/activation"
	"github.com/dl4go/dl4go/nn/updater"
)

// shapeFlags shape a built-in network, or change the settings of a configuration file.
type shapeFlags struct {
	hidden, activation, updater, task          string
	dropout, learningRate, l1, l2, weightDecay float64
}

// shapeNames are the flags' names.
var shapeNames = []string{"hidden", "activation", "dropout", "updater", "learning-rate", "l1", "l2",
	"weight-decay", "task"}

func (f *shapeFlags) add(fs *pflag.FlagSet) {
	fs.StringVar(&f.hidden, "hidden", "", "`SIZES` built-in: hidden layers, such as 64,32; or none")
	fs.StringVar(&f.activation, "activation", "", "`NAME` built-in: of hidden layers, such as relu")
	fs.Float64Var(&f.dropout, "dropout", 0, "`P` probability to drop hidden outputs")
	fs.StringVar(&f.updater, "updater", "", "`NAME` such as adam, sgd, nesterovs")
	fs.Float64Var(&f.learningRate, "learning-rate", 0, "`X` the updater's rate, fixed")
	fs.Float64Var(&f.l1, "l1", 0, "`X` L1 regularization of weights")
	fs.Float64Var(&f.l2, "l2", 0, "`X` L2 regularization of weights")
	fs.Float64Var(&f.weightDecay, "weight-decay", 0, "`X` decay of weights, times the rate")
	fs.StringVar(&f.task, "task", "", "`TASK` classification, regression or multilabel")
}

// wish reads the flags.
func (f *shapeFlags) wish(given func(string) bool) (w modelfile.Wish, err error) {
	if given("hidden") {
		if w.Shape.Hidden, err = modelfile.Sizes(f.hidden); err != nil {
			return w, usagef("--hidden %s: %w", f.hidden, err)
		}
	}
	if given("activation") {
		if w.Shape.Activation, err = activation.ByName(f.activation); err != nil {
			return w, usagef("--activation: %w", err)
		}
	}
	if given("updater") {
		if w.Shape.Updater, err = updater.ByName(f.updater); err != nil {
			return w, usagef("--updater: %w", err)
		}
	}
	if given("task") {
		if w.Task, err = usage.Choose("task", f.task, nn.Classification, nn.Regression, nn.MultiLabel); err != nil {
			return w, err
		}
	}
	if given("regression") && !given("task") {
		w.Numbers = true
	}
	if given("dropout") {
		w.Shape.Dropout = &f.dropout
	}
	if given("learning-rate") && f.learningRate == 0 {
		return w, usagef("--learning-rate 0: the network would learn nothing; give a positive number")
	}
	w.Shape.LearningRate, w.Shape.L1, w.Shape.L2, w.Shape.WeightDecay = f.learningRate, f.l1, f.l2, f.weightDecay
	return w, nil
}
