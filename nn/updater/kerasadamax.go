package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// KerasAdaMax is [AdaMax] as in Keras, with ε beside u:
//
//	m' = β₁·m + (1−β₁)·g
//	u' = max(β₂·u, |g|)
//	update = α/(1−β₁ᵗ) · m'/(u' + ε)
//
// State: m, u.
//
// Deeplearning4j differs: its AdaMax ignores ε.
type KerasAdaMax struct {
	// LearningRate is α, 0.001 in NewKerasAdaMax. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"` // decay of m
	Beta2                float64  `dl4j:"beta2"` // decay of u
	Epsilon              float64  `dl4j:"epsilon"`

	meant bool // see package literal
}

// NewKerasAdaMax returns an updater with Keras' defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁷.
func NewKerasAdaMax() KerasAdaMax {
	return KerasAdaMax{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-7, meant: true}
}

// States is 2: m and u.
func (u KerasAdaMax) States() int { return 2 }

// InitialState is 0.
func (u KerasAdaMax) InitialState(int) float64 { return 0 }

// Scalars are α/(1−β₁ᵗ).
func (u KerasAdaMax) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u KerasAdaMax) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	highest := b.Max(b.Mul(b.Scalar(u.Beta2), state[1]), b.Unary(program.Abs, g))
	return b.Div(b.Mul(scalars[0], m), b.Add(highest, b.Scalar(u.Epsilon))), []*program.Value{m, highest}
}

// Rate is α.
func (u KerasAdaMax) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u KerasAdaMax) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewKerasAdaMax())
	}
	return u
}

// Equal compares all settings.
func (u KerasAdaMax) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u KerasAdaMax) Validate() error {
	return check("KerasAdaMax", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"KerasAdaMax", func() Updater { return NewKerasAdaMax() }) }
