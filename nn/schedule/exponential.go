package schedule

import "math"

// Exponential falls by a factor each step: InitialValue · Gamma^i. (Deeplearning4j: ExponentialSchedule.)
type Exponential struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Gamma        float64 `dl4j:"gamma"`
}

// Value is the formula at i = iteration or epoch.
func (s Exponential) Value(iteration, epoch int) float64 {
	return s.InitialValue * math.Pow(s.Gamma, s.Type.count(iteration, epoch))
}

// Validate wants numbers.
func (s Exponential) Validate() error {
	return finite("Exponential schedule", s.Type, setting{"initialValue", s.InitialValue}, setting{"gamma", s.Gamma})
}

func init() {
	Classes.Register(javaPackage+"ExponentialSchedule", func() Schedule { return Exponential{Type: Iteration} })
}
