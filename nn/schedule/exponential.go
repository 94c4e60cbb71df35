package schedule

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// Exponential falls by a factor each step: InitialValue · Gamma^i. (Deeplearning4j: ExponentialSchedule.)
type Exponential struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Gamma        float64 `dl4j:"gamma"`

	meant bool // see package literal
}

func (s Exponential) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("gamma", s.Gamma)}
}

// AfterRead notes a file's zero, which is meant.
func (s *Exponential) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s Exponential) Value(iteration, epoch int) float64 {
	return s.InitialValue * math.Pow(s.Gamma, s.Type.count(iteration, epoch))
}

// Validate wants numbers, and none that was left out.
func (s Exponential) Validate() error {
	return numbers("Exponential schedule", s.Type, s.meant, s.settings())
}

func init() {
	Classes.Register(javaPackage+"ExponentialSchedule", func() Schedule { return Exponential{Type: Iteration} })
}
