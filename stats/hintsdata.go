package stats

import (
	"fmt"
	"math"
	"strconv"
)

// Hints about the data come from settings that package train adds if it finds a likely mistake.

// repeated: held-out examples are among the training examples.
func (x examination) repeated() (h Hint, ok bool) {
	share := x.run.Settings["held-out examples in training"]
	return Hint{"repeated", "Held-out examples are training examples.", fmt.Sprintf("About %s of the held-out examples "+
		"are also training examples, so their scores say nothing about new data. Hold other examples out, for example with "+
		"--split 0.8.", share)}, share != ""
}

// leaks: a feature tells the label.
func (x examination) leaks() (h Hint, ok bool) {
	column := x.run.Settings["column that tells the label"]
	return Hint{"label among features", "A column tells the label.", fmt.Sprintf("Column %s alone determines the label. "+
		"If it is only known together with the label, leave it out, for example with --drop.", column)}, column != ""
}

// otherClasses: the classes of held-out data are not those of the training data.
func (x examination) otherClasses() (h Hint, ok bool) {
	class := x.run.Settings["class shares that differ"]
	return Hint{"other classes", "Held-out data has other classes.", fmt.Sprintf("The share of class %s. If the file is "+
		"sorted by class, shuffle its rows before you divide them, or divide them with --split 0.8:stratified.",
		class)}, class != ""
}

// sorted: each saved minibatch has one class.
func (x examination) sorted() (h Hint, ok bool) {
	return Hint{"sorted", "Each minibatch has one class.", "So each step unlearns the other classes. Shuffle the " +
		"examples before you save them as minibatches."}, x.run.Settings["minibatches by class"] != ""
}

// large: numbers are large, and training fails or says nothing.
func (x examination) large() (h Hint, ok bool) {
	what := x.run.Settings["large numbers"]
	if what == "" {
		return h, false
	}
	trouble := x.run.Failure != "" || x.guesses() != ""
	for _, find := range []func() (Hint, bool){x.diverged, x.restless, x.explodes, x.dead, x.saturated} {
		_, found := find()
		trouble = trouble || found
	}
	return Hint{"large numbers", "Numbers are large.", fmt.Sprintf("Training begins near 0, but %s. Let a pipeline scale "+
		"them, use --normalize standardize for features, or give them in a larger unit.", what)}, trouble
}

// fewestSteps is the number of steps below which minibatches that hold all examples are too large.
const fewestSteps = 100

// fewSteps: a minibatch holds all examples, and there are few epochs.
func (x examination) fewSteps() (h Hint, ok bool) {
	batch, err := strconv.Atoi(x.run.Settings["batch"])
	examples, fault := strconv.Atoi(x.run.Settings["examples"])
	loss := x.run.named("loss")
	if err != nil || fault != nil || examples < 2 || batch <= examples || len(loss.Iterations) == 0 {
		return h, false
	}
	steps := loss.Iterations[len(loss.Iterations)-1]
	if steps >= fewestSteps || math.IsNaN(loss.Values[len(loss.Values)-1]) {
		return h, false
	}
	return Hint{"few steps", "An epoch is one step.", fmt.Sprintf("A minibatch (%d) holds all %d examples, so training "+
		"got only to step %d. Take smaller minibatches, or more epochs.", batch, examples, steps)}, true
}
