package schedule

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// Inverse falls as a power of the step: InitialValue / (1 + Gamma·i)^Power. (Deeplearning4j: InverseSchedule.)
type Inverse struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Gamma        float64 `dl4j:"gamma"`
	Power        float64 `dl4j:"power"`

	meant bool // see package literal
}

func (s Inverse) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("gamma", s.Gamma),
		literal.Number("power", s.Power)}
}

// AfterRead notes a file's zero, which is meant.
func (s *Inverse) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s Inverse) Value(iteration, epoch int) float64 {
	return s.InitialValue / math.Pow(1+s.Gamma*s.Type.count(iteration, epoch), s.Power)
}

// Validate wants numbers, and none that was left out.
func (s Inverse) Validate() error {
	return numbers("Inverse schedule", s.Type, s.meant, s.settings())
}

func init() {
	Classes.Register(javaPackage+"InverseSchedule", func() Schedule { return Inverse{Type: Iteration} })
}
