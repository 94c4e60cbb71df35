package updater

import (
	"fmt"

	"github.com/dl4go/dl4go/internal/literal"
)

// RampSchedule starts another schedule slowly. While the iteration i is below NumIter − 1, it multiplies the
// schedule's value by (i+1)/NumIter. It counts iterations, even if its base counts epochs. (Deeplearning4j:
// RampSchedule.)
//
// Deeplearning4j differs: it writes the class without its settings and cannot read it back. Here the file has both
// settings.
type RampSchedule struct {
	Base    Schedule `dl4j:"baseSchedule"`
	NumIter int32    `dl4j:"numIter"`

	meant bool // see package literal
}

// AfterRead notes that a zero from a file is intended.
func (s *RampSchedule) AfterRead() { s.meant = s.NumIter == 0 }

// Value is the formula.
func (s RampSchedule) Value(iteration, epoch int) float64 {
	base := s.Base.Value(iteration, epoch)
	if iteration >= int(s.NumIter)-1 {
		return base
	}
	return base * float64(iteration+1) / float64(s.NumIter)
}

// Validate requires a valid base and a NumIter that is not negative and was not left out.
func (s RampSchedule) Validate() error {
	switch {
	case s.Base == nil:
		return fmt.Errorf("RampSchedule: it has no base schedule")
	case s.NumIter < 0:
		return fmt.Errorf("RampSchedule: numIter is %d", s.NumIter)
	}
	numIter := literal.Number("numIter", float64(s.NumIter))
	if err := given("RampSchedule", s.meant, []literal.Setting{numIter}); err != nil {
		return err
	}
	return s.Base.Validate()
}

func init() {
	ScheduleClasses.Register(schedulePackage+"RampSchedule", func() Schedule { return RampSchedule{} })
}
