package updater

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/dl4j"
	"github.com/dl4go/dl4go/internal/literal"
)

// CycleSchedule is the 1cycle policy (Smith, "A disciplined approach to neural network hyper-parameters", 2018),
// repeated. With s = ⌊(CycleLength − AnnealingLength)/2⌋, the value rises linearly from InitialLearningRate to
// MaxLearningRate in s steps and falls back in s steps. In the rest of the cycle it is InitialLearningRate ·
// AnnealingDecay^k, where k is the number of steps since CycleLength − AnnealingLength. (Deeplearning4j:
// CycleSchedule.)
type CycleSchedule struct {
	AnnealingDecay      float64      `dl4j:"annealingDecay,creator"`
	AnnealingLength     int32        `dl4j:"annealingLength,creator"`
	CycleLength         int32        `dl4j:"cycleLength,creator"`
	InitialLearningRate float64      `dl4j:"initialLearningRate,creator"`
	MaxLearningRate     float64      `dl4j:"maxLearningRate,creator"`
	Type                ScheduleType `dl4j:"scheduleType,creator"`

	meant bool // see package literal
}

func (s CycleSchedule) settings() []literal.Setting {
	list := []literal.Setting{literal.Number("initialLearningRate", s.InitialLearningRate),
		literal.Number("maxLearningRate", s.MaxLearningRate)}
	if s.CycleLength == 2*s.stepSize() && s.AnnealingDecay == 0 {
		return list // there is no annealing
	}
	return append(list, literal.Number("annealingDecay", s.AnnealingDecay))
}

// cycleFile is CycleSchedule as Deeplearning4j writes it, including values computed from the settings.
type cycleFile struct {
	plainCycle
	Increment float64 `dl4j:"increment"`
	StepSize  int32   `dl4j:"stepSize"`
}

type plainCycle CycleSchedule

// NewCycleSchedule returns a cycle of the given length. It starts at a tenth of the maximum, and the last tenth of the
// cycle anneals by 0.1 a step.
func NewCycleSchedule(t ScheduleType, maxLearningRate float64, cycleLength int32) CycleSchedule {
	annealing := int32(math.Floor(float64(cycleLength)*0.1 + 0.5))
	return CycleSchedule{Type: t, InitialLearningRate: maxLearningRate * 0.1, MaxLearningRate: maxLearningRate,
		CycleLength: cycleLength, AnnealingLength: annealing, AnnealingDecay: 0.1}
}

// Value is the formula at the position i mod CycleLength, i = iteration or epoch.
func (s CycleSchedule) Value(iteration, epoch int) float64 {
	position := int32(int(s.Type.count(iteration, epoch)) % int(s.CycleLength))
	step := s.stepSize()
	switch {
	case position < step:
		return s.InitialLearningRate + s.increment()*float64(position)
	case position < 2*step:
		return s.MaxLearningRate - s.increment()*float64(position-step)
	}
	return s.InitialLearningRate * math.Pow(s.AnnealingDecay, float64(s.AnnealingLength-(s.CycleLength-position)))
}

func (s CycleSchedule) stepSize() int32 { return (s.CycleLength - s.AnnealingLength) / 2 }

func (s CycleSchedule) increment() float64 {
	return (s.MaxLearningRate - s.InitialLearningRate) / float64(s.stepSize())
}

// MarshalTree adds the step size and the increment, as Deeplearning4j does.
func (s CycleSchedule) MarshalTree() (any, error) {
	return dl4j.ToTree(cycleFile{plainCycle(s), s.increment(), s.stepSize()})
}

// UnmarshalTree reads the tree of MarshalTree. Zeros are intended. The step size and the increment are computed again.
func (s *CycleSchedule) UnmarshalTree(tree any) error {
	o, _ := tree.(dl4j.Object)
	f := cycleFile{plainCycle: plainCycle(*s)}
	if err := dl4j.FromTree(o.Without("@class"), &f); err != nil {
		return err
	}
	*s = CycleSchedule(f.plainCycle)
	s.meant = literal.AnyZero(s.settings()...)
	return nil
}

// Validate requires finite numbers, an annealing that is shorter than the cycle, and that no setting was left out.
func (s CycleSchedule) Validate() error {
	err := finite("CycleSchedule", s.Type, s.settings()...)
	if err == nil && (s.AnnealingLength < 0 || int64(s.CycleLength)-int64(s.AnnealingLength) < 2) {
		err = fmt.Errorf("CycleSchedule: an annealing of %d leaves no room in a cycle of %d",
			s.AnnealingLength, s.CycleLength)
	}
	if err == nil {
		err = given("CycleSchedule", s.meant, s.settings())
	}
	return err
}

func init() {
	ScheduleClasses.Register(schedulePackage+"CycleSchedule", func() Schedule { return CycleSchedule{Type: Iteration} })
}
