package regularization

import (
	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// L1 adds λ·‖w‖₁ to the score and λ·sign(w) to the gradient, before the updater. (Deeplearning4j: L1Regularization.)
type L1 struct {
	Schedule updater.Schedule `dl4j:"l1"` // of λ
}

// NewL1 returns an L1 with a fixed λ.
func NewL1(lambda float64) L1 { return L1{updater.FixedSchedule{V: lambda}} }

// Phase is BeforeUpdater.
func (r L1) Phase() Phase { return BeforeUpdater }

// Coefficient is λ.
func (r L1) Coefficient(iteration, epoch int) float64 { return r.Schedule.Value(iteration, epoch) }

// Score is λ·‖w‖₁.
func (r L1) Score(b *program.Builder, w, coefficient *program.Value) *program.Value {
	return b.Mul(coefficient, b.SumAll(b.Unary(program.Abs, w)))
}

// Emit is x + λ·sign(w).
func (r L1) Emit(b *program.Builder, w, x, coefficient, lr *program.Value) *program.Value {
	return b.Add(x, b.Mul(coefficient, b.Unary(program.Sign, w)))
}

// Validate checks the schedule.
func (r L1) Validate() error { return validate("L1", r.Schedule) }

func init() { Classes.Register(javaPackage+"L1Regularization", func() Regularization { return L1{} }) }
