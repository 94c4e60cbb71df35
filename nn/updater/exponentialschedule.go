package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// ExponentialSchedule falls by a factor each step: InitialValue · Gamma^i, where i is the iteration or the epoch.
// (Deeplearning4j: ExponentialSchedule.)
type ExponentialSchedule struct {
	Type         ScheduleType `dl4j:"scheduleType"`
	InitialValue float64      `dl4j:"initialValue"`
	Gamma        float64      `dl4j:"gamma"`

	meant bool // see package literal
}

func (s ExponentialSchedule) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("gamma", s.Gamma)}
}

// AfterRead notes that a zero from a file is intended.
func (s *ExponentialSchedule) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s ExponentialSchedule) Value(iteration, epoch int) float64 {
	return s.InitialValue * math.Pow(s.Gamma, s.Type.count(iteration, epoch))
}

// Validate requires finite numbers, none of them left out.
func (s ExponentialSchedule) Validate() error {
	return numbers("ExponentialSchedule", s.Type, s.meant, s.settings())
}

func init() {
	ScheduleClasses.Register(schedulePackage+"ExponentialSchedule",
		func() Schedule { return ExponentialSchedule{Type: Iteration} })
}
