package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// AMSGrad is Adam whose denominator never falls (Reddi, Kale and Kumar, "On the convergence of Adam and beyond", 2018):
//
//	m' = β₁·m + (1−β₁)·g
//	v' = β₂·v + (1−β₂)·g²
//	v̂' = max(v̂, v')
//	update = α·√(1−β₂ᵗ)/(1−β₁ᵗ) · m'/(√v̂' + ε)
//
// State: m, v, v̂. (Deeplearning4j: AMSGrad.) The paper has no bias corrections; PyTorch corrects the maximum and then
// adds ε.
type AMSGrad struct {
	// LearningRate is α, 0.001 in NewAMSGrad. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside √v̂

	meant bool // see package literal
}

// NewAMSGrad returns an updater with Deeplearning4j's defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁸.
func NewAMSGrad() AMSGrad {
	return AMSGrad{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, meant: true}
}

// States is 3: m, v and v̂.
func (u AMSGrad) States() int { return 3 }

// InitialState is 0.
func (u AMSGrad) InitialState(int) float64 { return 0 }

// Scalars are α·√(1−β₂ᵗ)/(1−β₁ᵗ).
func (u AMSGrad) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha * math.Sqrt(1-power(u.Beta2, iteration)) / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u AMSGrad) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	v := moving(b, u.Beta2, state[1], b.Unary(program.Square, g))
	highest := b.Max(state[2], v)
	root := b.Add(b.Unary(program.Sqrt, highest), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(scalars[0], m), root), []*program.Value{m, v, highest}
}

// Rate is α.
func (u AMSGrad) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u AMSGrad) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAMSGrad())
	}
	return u
}

// Equal compares all settings.
func (u AMSGrad) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u AMSGrad) Validate() error {
	return check("AMSGrad", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"AMSGrad", func() Updater { return NewAMSGrad() }) }
