package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// InverseSchedule falls as a power of the step: InitialValue / (1 + Gamma·i)^Power, where i is the iteration or the
// epoch. (Deeplearning4j: InverseSchedule.)
type InverseSchedule struct {
	Type         ScheduleType `dl4j:"scheduleType"`
	InitialValue float64      `dl4j:"initialValue"`
	Gamma        float64      `dl4j:"gamma"`
	Power        float64      `dl4j:"power"`

	meant bool // see package literal
}

func (s InverseSchedule) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("gamma", s.Gamma),
		literal.Number("power", s.Power)}
}

// AfterRead notes that a zero from a file is intended.
func (s *InverseSchedule) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s InverseSchedule) Value(iteration, epoch int) float64 {
	return s.InitialValue / math.Pow(1+s.Gamma*s.Type.count(iteration, epoch), s.Power)
}

// Validate requires finite numbers, none of them left out.
func (s InverseSchedule) Validate() error {
	return numbers("InverseSchedule", s.Type, s.meant, s.settings())
}

func init() {
	ScheduleClasses.Register(schedulePackage+"InverseSchedule",
		func() Schedule { return InverseSchedule{Type: Iteration} })
}
