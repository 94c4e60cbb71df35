package schedule

import (
	"fmt"
	"math"

	"github.com/dl4go/dl4go/internal/literal"
)

// Poly is InitialValue · (1 + i/MaxIter)^Power before MaxIter and 0 from there on. (Deeplearning4j: PolySchedule.)
//
// The plus sign is Deeplearning4j's: a positive Power makes the value grow. It stays, as saved configurations mean it;
// the usual polynomial decay is (1 − i/MaxIter)^Power.
type Poly struct {
	Type         Type    `dl4j:"scheduleType"`
	InitialValue float64 `dl4j:"initialValue"`
	Power        float64 `dl4j:"power"`
	MaxIter      int32   `dl4j:"maxIter"`

	meant bool // see package literal
}

func (s Poly) settings() []literal.Setting {
	return []literal.Setting{literal.Number("initialValue", s.InitialValue), literal.Number("power", s.Power)}
}

// AfterRead notes a file's zero, which is meant.
func (s *Poly) AfterRead() { s.meant = literal.AnyZero(s.settings()...) }

// Value is the formula at i = iteration or epoch.
func (s Poly) Value(iteration, epoch int) float64 {
	i := s.Type.count(iteration, epoch)
	if i >= float64(s.MaxIter) {
		return 0
	}
	return s.InitialValue * math.Pow(1+i/float64(s.MaxIter), s.Power)
}

// Validate wants numbers, a MaxIter above 0, and no setting that was left out.
func (s Poly) Validate() error {
	err := finite("Poly schedule", s.Type, s.settings()...)
	if err == nil && s.MaxIter <= 0 {
		err = fmt.Errorf("Poly schedule: maxIter is %d, must be above 0", s.MaxIter)
	}
	if err == nil {
		err = given("Poly schedule", s.meant, s.settings())
	}
	return err
}

func init() {
	Classes.Register(javaPackage+"PolySchedule", func() Schedule { return Poly{Type: Iteration} })
}
