// Package earlystopping trains a network until a condition is met, and keeps the best network of all epochs. Training
// runs on an engine, with a training master, or in this process.
package earlystopping

import (
	"fmt"
)

// Config says when training ends, how networks are scored, and where they are saved (Deeplearning4j:
// EarlyStoppingConfiguration). A Config has no state, so one may serve many trainings.
type Config struct {
	// Epoch conditions are checked after each epoch that is scored, in this order. The first that holds ends training.
	Epoch []EpochCondition
	// Iteration conditions are checked after each step: a minibatch of plain training, a round of parameter averaging, or
	// a report of updates in gradient sharing. The first that holds ends training within the epoch.
	//
	// Deeplearning4j differs: its SparkEarlyStoppingTrainer checks them once an epoch, after the whole fit.
	Iteration []IterationCondition
	// Calculator scores the network after each epoch, or after one in Every.
	Calculator Calculator
	// Saver keeps the best network and the latest one. Nil means a new [InMemory].
	Saver Saver
	// SaveLast also keeps the latest network, after each epoch that is scored and when training ends within an epoch.
	SaveLast bool
	// Every scores only the epochs 0, Every, 2·Every, … 0 means 1.
	Every int
	// Before is the progress of an interrupted run with these settings. Training continues as if it had not been
	// interrupted, except that the time of [MaxTime] begins again. Saver must have the best network of that run.
	Before Progress
	// Listen, unless nil, is called after each epoch, by the goroutine that trains (Deeplearning4j:
	// EarlyStoppingListener). The network was saved before that, and conditions are checked afterwards.
	Listen func(Epoch)
}

// Progress is how far a training has got: see Config.Before.
type Progress struct {
	Epochs int     // complete epochs
	Scores []Score // of the scored epochs among them, in order
}

// Epoch is a report after an epoch.
type Epoch struct {
	Number int // from 0, since training began
	Scored bool
	Score  float64 // if Scored
	Best   bool    // the best score so far: the network was kept
}

// ConfigError means that a setting is wrong.
type ConfigError struct {
	Field  string // such as ScoreImprovement.Patience
	Reason string
}

// Error names the field and the reason.
func (e *ConfigError) Error() string { return "early stopping: " + e.Field + ": " + e.Reason }

func wrong(field, format string, args ...any) error {
	return &ConfigError{field, fmt.Sprintf(format, args...)}
}

// Validate returns a *ConfigError unless there are a condition and a calculator, and each is valid.
func (c Config) Validate() error {
	if len(c.Epoch)+len(c.Iteration) == 0 {
		return wrong("Epoch", "there is no condition, of epochs or iterations, that could end training")
	}
	for i, e := range c.Epoch {
		if e == nil {
			return wrong(fmt.Sprintf("Epoch[%d]", i), "it is nil")
		}
		if err := e.Validate(); err != nil {
			return err
		}
	}
	for i, it := range c.Iteration {
		if it == nil {
			return wrong(fmt.Sprintf("Iteration[%d]", i), "it is nil")
		}
		if err := it.Validate(); err != nil {
			return err
		}
	}
	if c.Calculator == nil {
		return wrong("Calculator", "there is none: how good a network is must be known, to keep the best one")
	}
	if c.Every < 0 {
		return wrong("Every", "%d: it is a number of epochs, or 0 for each", c.Every)
	}
	for i, s := range c.Before.Scores {
		if s.Epoch < 0 || s.Epoch >= c.Before.Epochs || i > 0 && s.Epoch <= c.Before.Scores[i-1].Epoch {
			return wrong("Before.Scores", "there is one of epoch %d: they must be of epochs of the %d, in order",
				s.Epoch, c.Before.Epochs)
		}
	}
	if len(c.Before.Scores) > 0 && c.Saver == nil {
		return wrong("Saver", "there is none: it must have the best network of what was trained before")
	}
	return c.Calculator.Validate()
}

// last says that the epoch can't be followed by another, so that it is scored whatever Every is.
func (c Config) last(epoch int) bool {
	for _, e := range c.Epoch {
		if m, ok := e.(MaxEpochs); ok && epoch+1 >= m.Epochs {
			return true
		}
	}
	return false
}
