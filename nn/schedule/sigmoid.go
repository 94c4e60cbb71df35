package schedule

import "math"

// Sigmoid is InitialValue / (1 + e^(−Gamma·(i − StepSize))). (Deeplearning4j: SigmoidSchedule.)
type Sigmoid struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Gamma        float64 `dl4j:"gamma"`
	StepSize     int32   `dl4j:"stepSize"`
}

// Value is the formula at i = iteration or epoch.
func (s Sigmoid) Value(iteration, epoch int) float64 {
	return s.InitialValue / (1 + math.Exp(-s.Gamma*(s.Type.count(iteration, epoch)-float64(s.StepSize))))
}

// Validate wants numbers.
func (s Sigmoid) Validate() error {
	return finite("Sigmoid schedule", s.Type, setting{"initialValue", s.InitialValue}, setting{"gamma", s.Gamma})
}

func init() {
	Classes.Register(javaPackage+"SigmoidSchedule", func() Schedule { return Sigmoid{Type: Iteration} })
}
