package updater

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// PolySchedule is InitialValue · (1 + i/MaxIter)^Power before MaxIter, and 0 from then on, where i is the iteration or
// the epoch. (Deeplearning4j: PolySchedule.)
//
// The plus sign is Deeplearning4j's: a positive Power makes the value grow. It is kept, because saved configurations
// rely on it; the usual polynomial decay is (1 − i/MaxIter)^Power.
type PolySchedule struct {
	Type         ScheduleType `dl4j:"scheduleType"`
	InitialValue float64      `dl4j:"initialValue"`
	Power        float64      `dl4j:"power"`
	MaxIter      int32        `dl4j:"maxIter"`

	meant bool // see package literal
}

func (s PolySchedule) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("power", s.Power)}
}

// AfterRead notes that a zero from a file is intended.
func (s *PolySchedule) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s PolySchedule) Value(iteration, epoch int) float64 {
	i := s.Type.count(iteration, epoch)
	if i >= float64(s.MaxIter) {
		return 0
	}
	return s.InitialValue * math.Pow(1+i/float64(s.MaxIter), s.Power)
}

// Validate requires finite numbers, a MaxIter above 0, and that no setting was left out.
func (s PolySchedule) Validate() error {
	err := finite("PolySchedule", s.Type, s.settings()...)
	if err == nil && s.MaxIter <= 0 {
		err = fmt.Errorf("PolySchedule: maxIter is %d, must be above 0", s.MaxIter)
	}
	if err == nil {
		err = given("PolySchedule", s.meant, s.settings())
	}
	return err
}

func init() {
	ScheduleClasses.Register(schedulePackage+"PolySchedule", func() Schedule { return PolySchedule{Type: Iteration} })
}
