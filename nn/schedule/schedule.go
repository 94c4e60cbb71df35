// Package schedule has the schedules that learning rates, momentum, regularisation coefficients and dropout
// probabilities follow, as Deeplearning4j's org.nd4j.linalg.schedule has them. A schedule is a plain value; it reads
// and writes Deeplearning4j's JSON through the table Classes.
package schedule

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
)

// Schedule gives a value for each step of training.
type Schedule interface {
	// Value is the value of a valid schedule at an iteration (parameter updates done so far) of an epoch (passes over
	// the data done so far), both counted from 0.
	Value(iteration, epoch int) float64
	// Validate says what is wrong with the settings.
	Validate() error
}

// Type says what a schedule counts.
type Type string

const (
	// Iteration counts parameter updates.
	Iteration Type = "ITERATION"
	// Epoch counts passes over the data.
	Epoch Type = "EPOCH"
)

// UnmarshalText reads Deeplearning4j's name.
func (t *Type) UnmarshalText(text []byte) error {
	v := Type(text)
	if err := v.validate(); err != nil {
		return err
	}
	*t = v
	return nil
}

// MarshalText is Deeplearning4j's name.
func (t Type) MarshalText() ([]byte, error) { return []byte(t), t.validate() }

func (t Type) validate() error {
	if t != Iteration && t != Epoch {
		return fmt.Errorf("schedule type %q: must be %s or %s", string(t), Iteration, Epoch)
	}
	return nil
}

// count is the number that a schedule of this type goes by.
func (t Type) count(iteration, epoch int) float64 {
	if t == Epoch {
		return float64(epoch)
	}
	return float64(iteration)
}

// Classes has the Java class of each schedule.
var Classes = dl4j.NewClasses[Schedule]("schedule")

const javaPackage = "org.nd4j.linalg.schedule."

// setting is a number that a schedule is made of.
type setting struct {
	name  string
	value float64
}

// finite checks the type and that the settings are numbers.
func finite(kind string, t Type, settings ...setting) error {
	if err := t.validate(); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	for _, s := range settings {
		if math.IsNaN(s.value) || math.IsInf(s.value, 0) {
			return fmt.Errorf("%s: %s is %g", kind, s.name, s.value)
		}
	}
	return nil
}
