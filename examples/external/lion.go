package external

import (
	"fmt"

	"github.com/dl4go/dl4go/nn/updater"
	"github.com/dl4go/dl4go/program"
)

// Lion steps by the sign of a momentum (Chen et al., "Symbolic discovery of optimization algorithms", 2023):
//
//	update = α·sign(β₁·m + (1 − β₁)·g)
//	m' = β₂·m + (1 − β₂)·g
type Lion struct {
	LearningRate float64 `dl4j:"learningRate"`
	Beta1        float64 `dl4j:"beta1"`
	Beta2        float64 `dl4j:"beta2"`
}

// NewLion has the paper's decay rates.
func NewLion(learningRate float64) Lion {
	return Lion{LearningRate: learningRate, Beta1: 0.9, Beta2: 0.99}
}

func init() {
	updater.Classes.Register("com.example.Lion", func() updater.Updater { return NewLion(1e-4) })
}

// States is 1, the momentum m.
func (u Lion) States() int { return 1 }

// InitialState is 0.
func (u Lion) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u Lion) Scalars(iteration, epoch int) []float64 { return []float64{u.LearningRate} }

// Emit is the equations.
func (u Lion) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	moving := func(decay float64) *program.Value {
		return b.Add(b.Mul(state[0], b.Scalar(decay)), b.Mul(g, b.Scalar(1-decay)))
	}
	return b.Mul(b.Unary(program.Sign, moving(u.Beta1)), scalars[0]), []*program.Value{moving(u.Beta2)}
}

// Rate is α.
func (u Lion) Rate(iteration, epoch int) (float64, bool) { return u.LearningRate, true }

// Equal compares the settings.
func (u Lion) Equal(other updater.Updater) bool { return other == u }

// Validate checks the settings' ranges.
func (u Lion) Validate() error {
	if !(u.LearningRate > 0) || !(u.Beta1 >= 0 && u.Beta1 < 1) || !(u.Beta2 >= 0 && u.Beta2 < 1) {
		return fmt.Errorf("updater Lion: learningRate %g, beta1 %g, beta2 %g: the rate must be above 0, the betas in [0, 1)",
			u.LearningRate, u.Beta1, u.Beta2)
	}
	return nil
}
