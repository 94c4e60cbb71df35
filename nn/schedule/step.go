package schedule

import (
	"fmt"
	"math"
)

// Step falls by a factor every so many steps: InitialValue · DecayRate^⌊i/Step⌋. (Deeplearning4j: StepSchedule.)
type Step struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	DecayRate    float64 `dl4j:"decayRate"`
	Step         float64 `dl4j:"step"`
}

// Value is the formula at i = iteration or epoch.
func (s Step) Value(iteration, epoch int) float64 {
	return s.InitialValue * math.Pow(s.DecayRate, math.Floor(s.Type.count(iteration, epoch)/s.Step))
}

// Validate wants numbers and a Step above 0.
func (s Step) Validate() error {
	err := finite("Step schedule", s.Type, setting{"initialValue", s.InitialValue}, setting{"decayRate", s.DecayRate},
		setting{"step", s.Step})
	if err == nil && s.Step <= 0 {
		err = fmt.Errorf("Step schedule: step is %g, must be above 0", s.Step)
	}
	return err
}

func init() {
	Classes.Register(javaPackage+"StepSchedule", func() Schedule { return Step{Type: Iteration} })
}
