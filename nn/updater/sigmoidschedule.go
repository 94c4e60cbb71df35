package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// SigmoidSchedule is InitialValue / (1 + e^(−Gamma·(i − StepSize))), where i is the iteration or the epoch.
// (Deeplearning4j: SigmoidSchedule.)
type SigmoidSchedule struct {
	Type         ScheduleType `dl4j:"scheduleType"`
	InitialValue float64      `dl4j:"initialValue"`
	Gamma        float64      `dl4j:"gamma"`
	StepSize     int32        `dl4j:"stepSize"`

	meant bool // see package literal
}

func (s SigmoidSchedule) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("gamma", s.Gamma)}
}

// AfterRead notes that a zero from a file is intended.
func (s *SigmoidSchedule) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s SigmoidSchedule) Value(iteration, epoch int) float64 {
	return s.InitialValue / (1 + math.Exp(-s.Gamma*(s.Type.count(iteration, epoch)-float64(s.StepSize))))
}

// Validate requires finite numbers, none of them left out.
func (s SigmoidSchedule) Validate() error {
	return numbers("SigmoidSchedule", s.Type, s.meant, s.settings())
}

func init() {
	ScheduleClasses.Register(schedulePackage+"SigmoidSchedule",
		func() Schedule { return SigmoidSchedule{Type: Iteration} })
}
