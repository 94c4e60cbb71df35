package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Lion takes steps of one size, in the direction of the sign of a momentum (Chen et al., "Symbolic discovery of
// optimization algorithms", 2023):
//
//	update = α · sign(β₁·m + (1−β₁)·g)
//	m' = β₂·m + (1−β₂)·g
//
// State: m.
//
// Deeplearning4j differs: it has no such updater.
type Lion struct {
	// LearningRate is α, 0.001 in NewLion. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"` // the share of m in a step
	Beta2                float64  `dl4j:"beta2"` // decay of m

	meant bool // see package literal
}

// NewLion returns an updater with Keras' defaults: α 0.001, β₁ 0.9, β₂ 0.99.
func NewLion() Lion { return Lion{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.99, meant: true} }

// States is 1.
func (u Lion) States() int { return 1 }

// InitialState is 0.
func (u Lion) InitialState(int) float64 { return 0 }

// Scalars are α.
func (u Lion) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u Lion) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	step := b.Unary(program.Sign, moving(b, u.Beta1, state[0], g))
	return b.Mul(scalars[0], step), []*program.Value{moving(b, u.Beta2, state[0], g)}
}

// Rate is α.
func (u Lion) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Lion) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewLion())
	}
	return u
}

// Equal compares all settings.
func (u Lion) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Lion) Validate() error {
	return check("Lion", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2))
}

func init() { Classes.Register(ownPackage+"Lion", func() Updater { return NewLion() }) }
