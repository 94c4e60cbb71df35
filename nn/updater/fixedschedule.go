package updater

import "github.com/dl4go/dl4go/internal/literal"

// FixedSchedule has one value, V, for all steps. (Deeplearning4j: FixedSchedule.)
type FixedSchedule struct {
	V float64 `dl4j:"value"`
}

// Value is V.
func (s FixedSchedule) Value(iteration, epoch int) float64 { return s.V }

// Validate requires a number.
func (s FixedSchedule) Validate() error {
	return finite("FixedSchedule", Iteration, literal.Number("value", s.V))
}

func init() {
	ScheduleClasses.Register(schedulePackage+"FixedSchedule", func() Schedule { return FixedSchedule{} })
}
