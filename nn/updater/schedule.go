package updater

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
)

// Schedule gives a value for each step of training.
type Schedule interface {
	// Value returns the value of a valid schedule at an iteration (parameter updates done so far) of an epoch (passes
	// over the data done so far), both counted from 0.
	Value(iteration, epoch int) float64
	// Validate checks the settings.
	Validate() error
}

// ScheduleType says what a schedule counts: iterations or epochs.
type ScheduleType string

const (
	// Iteration counts parameter updates.
	Iteration ScheduleType = "ITERATION"
	// Epoch counts passes over the data.
	Epoch ScheduleType = "EPOCH"
)

// UnmarshalText reads Deeplearning4j's name.
func (t *ScheduleType) UnmarshalText(text []byte) error {
	v := ScheduleType(text)
	if err := v.validate(); err != nil {
		return err
	}
	*t = v
	return nil
}

// MarshalText writes Deeplearning4j's name.
func (t ScheduleType) MarshalText() ([]byte, error) { return []byte(t), t.validate() }

func (t ScheduleType) validate() error {
	if t != Iteration && t != Epoch {
		return fmt.Errorf("schedule type %q: must be %s or %s", string(t), Iteration, Epoch)
	}
	return nil
}

// count returns the number that a schedule of this type counts.
func (t ScheduleType) count(iteration, epoch int) float64 {
	if t == Epoch {
		return float64(epoch)
	}
	return float64(iteration)
}

// ScheduleClasses is the table of schedules and their Java classes. Register your own there.
var ScheduleClasses = dl4j.NewClasses[Schedule]("schedule")

const schedulePackage = "org.nd4j.linalg.schedule."

// given refuses a setting that a literal leaves out.
func given(kind string, meant bool, settings []literal.Setting) error {
	return literal.Refuse(kind, "a Map for values of 0", meant, settings...)
}

// numbers is finite that also refuses settings that were left out.
func numbers(kind string, t ScheduleType, meant bool, settings []literal.Setting) error {
	if err := finite(kind, t, settings...); err != nil {
		return err
	}
	return given(kind, meant, settings)
}

// finite checks the type, and that the settings are finite numbers.
func finite(kind string, t ScheduleType, settings ...literal.Setting) error {
	if err := t.validate(); err != nil {
		return fmt.Errorf("%s: %w", kind, err)
	}
	for _, s := range settings {
		if math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			return fmt.Errorf("%s: %s is %g", kind, s.Name, s.Value)
		}
	}
	return nil
}
