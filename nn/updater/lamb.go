package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Lamb is Adam with steps of a given length: the learning rate times the norm of the parameter (You et al., "Large
// batch optimization for deep learning: training BERT in 76 minutes", 2020):
//
//	m' = β₁·m + (1−β₁)·g
//	v' = β₂·v + (1−β₂)·g²
//	r = m'/(1−β₁ᵗ) / (√(v'/(1−β₂ᵗ)) + ε)
//	update = α · ‖w‖/‖r‖ · r
//
// The norms are those of a whole parameter, such as the weights of a layer. If one of them is 0, the quotient is 1.
// State: m, v.
//
// Deeplearning4j differs: it has no such updater.
type Lamb struct {
	// LearningRate is α, 0.001 in NewLamb. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside the root

	meant bool // see package literal
}

// NewLamb returns an updater with Keras' defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁷.
func NewLamb() Lamb {
	return Lamb{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-7, meant: true}
}

// States is 2: m and v.
func (u Lamb) States() int { return 2 }

// InitialState is 0.
func (u Lamb) InitialState(int) float64 { return 0 }

// Scalars are α, 1/(1−β₁ᵗ) and 1/(1−β₂ᵗ).
func (u Lamb) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), 1 / (1 - power(u.Beta1, iteration)),
		1 / (1 - power(u.Beta2, iteration))}
}

// Emit is the equation for parameters that are 0.
func (u Lamb) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	return u.EmitFor(b, b.Fill(0, g.Shape...), g, state, scalars)
}

// EmitFor is the equation.
func (u Lamb) EmitFor(
	b *program.Builder, w, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	v := moving(b, u.Beta2, state[1], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, b.Mul(scalars[2], v)), b.Scalar(u.Epsilon))
	r := b.Div(b.Mul(scalars[1], m), root)
	norm := func(x *program.Value) *program.Value {
		return b.Unary(program.Sqrt, b.SumAll(b.Unary(program.Square, x)))
	}
	of, step, one := norm(w), norm(r), b.Scalar(1)
	positive := b.Mul(b.Binary(program.Greater, of, b.Scalar(0)), b.Binary(program.Greater, step, b.Scalar(0)))
	trust := b.Select(positive, b.Div(of, b.Select(positive, step, one)), one)
	return b.Mul(b.Mul(scalars[0], trust), r), []*program.Value{m, v}
}

// PerParameter is true: the norms are those of a parameter.
func (u Lamb) PerParameter() bool { return true }

// Rate is α.
func (u Lamb) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Lamb) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewLamb())
	}
	return u
}

// Equal compares all settings.
func (u Lamb) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Lamb) Validate() error {
	return check("Lamb", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"Lamb", func() Updater { return NewLamb() }) }
