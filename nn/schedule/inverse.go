package schedule

import "math"

// Inverse falls as a power of the step: InitialValue / (1 + Gamma·i)^Power. (Deeplearning4j: InverseSchedule.)
type Inverse struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Gamma        float64 `dl4j:"gamma"`
	Power        float64 `dl4j:"power"`
}

// Value is the formula at i = iteration or epoch.
func (s Inverse) Value(iteration, epoch int) float64 {
	return s.InitialValue / math.Pow(1+s.Gamma*s.Type.count(iteration, epoch), s.Power)
}

// Validate wants numbers.
func (s Inverse) Validate() error {
	return finite("Inverse schedule", s.Type, setting{"initialValue", s.InitialValue}, setting{"gamma", s.Gamma},
		setting{"power", s.Power})
}

func init() {
	Classes.Register(javaPackage+"InverseSchedule", func() Schedule { return Inverse{Type: Iteration} })
}
