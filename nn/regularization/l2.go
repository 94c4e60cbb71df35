package regularization

import (
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// L2 adds ½·λ·‖w‖² to the score and λ·w to the gradient, before the updater. (Deeplearning4j: L2Regularization.)
type L2 struct {
	Schedule updater.Schedule `dl4j:"l2"` // of λ
}

// NewL2 returns an L2 with a fixed λ.
func NewL2(lambda float64) L2 { return L2{updater.FixedSchedule{V: lambda}} }

// Phase is BeforeUpdater.
func (r L2) Phase() Phase { return BeforeUpdater }

// Coefficient is λ.
func (r L2) Coefficient(iteration, epoch int) float64 { return r.Schedule.Value(iteration, epoch) }

// Score is ½·λ·‖w‖².
func (r L2) Score(b *program.Builder, w, coefficient *program.Value) *program.Value {
	return halfSquares(b, w, coefficient)
}

// Emit is x + λ·w.
func (r L2) Emit(b *program.Builder, w, x, coefficient, lr *program.Value) *program.Value {
	return b.Add(x, b.Mul(coefficient, w))
}

// Validate checks the schedule.
func (r L2) Validate() error { return validate("L2", r.Schedule) }

func init() { Classes.Register(javaPackage+"L2Regularization", func() Regularization { return L2{} }) }
