package schedule

import "github.com/dl4go/dl4go/internal/literal"

// Fixed has one value for all steps: v. (Deeplearning4j: FixedSchedule.)
type Fixed struct {
	V float64 `dl4j:"value"`
}

// Value is V.
func (s Fixed) Value(iteration, epoch int) float64 { return s.V }

// Validate wants a number.
func (s Fixed) Validate() error {
	return finite("Fixed schedule", Iteration, literal.Number("value", s.V))
}

func init() { Classes.Register(javaPackage+"FixedSchedule", func() Schedule { return Fixed{} }) }
