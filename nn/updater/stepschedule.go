package updater

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// StepSchedule falls by a factor at regular steps: InitialValue · DecayRate^⌊i/Step⌋, where i is the iteration or the
// epoch. (Deeplearning4j: StepSchedule.)
type StepSchedule struct {
	Type         ScheduleType `dl4j:"scheduleType"`
	InitialValue float64      `dl4j:"initialValue"`
	DecayRate    float64      `dl4j:"decayRate"`
	Step         float64      `dl4j:"step"`

	meant bool // see package literal
}

func (s StepSchedule) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("decayRate", s.DecayRate)}
}

// AfterRead notes that a zero from a file is intended.
func (s *StepSchedule) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s StepSchedule) Value(iteration, epoch int) float64 {
	return s.InitialValue * math.Pow(s.DecayRate, math.Floor(s.Type.count(iteration, epoch)/s.Step))
}

// Validate requires finite numbers, a Step above 0, and that no setting was left out.
func (s StepSchedule) Validate() error {
	err := finite("StepSchedule", s.Type, append(s.settings(), literal.Number("step", s.Step))...)
	if err == nil && s.Step <= 0 {
		err = fmt.Errorf("StepSchedule: step is %g, must be above 0", s.Step)
	}
	if err == nil {
		err = given("StepSchedule", s.meant, s.settings())
	}
	return err
}

func init() {
	ScheduleClasses.Register(schedulePackage+"StepSchedule", func() Schedule { return StepSchedule{Type: Iteration} })
}
