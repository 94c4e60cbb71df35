package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Adam scales the averaged gradient by the root of the averaged square (Kingma and Ba, "Adam: a method for stochastic
// optimization", 2015):
//
//	m' = β₁·m + (1−β₁)·g
//	v' = β₂·v + (1−β₂)·g²
//	update = α·√(1−β₂ᵗ)/(1−β₁ᵗ) · m'/(√v' + ε)
//
// State: m, v. (Deeplearning4j: Adam.)
//
// ε is added to the uncorrected root, as in the remark that ends section 2 of the paper (its ε̂), and in
// Deeplearning4j and Keras. PyTorch and Optax add it to the corrected root √(v'/(1−β₂ᵗ)): for tiny gradients, their
// first steps are shorter.
type Adam struct {
	// LearningRate is α, 0.001 in NewAdam. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside √v

	meant bool // see package literal
}

// NewAdam returns an updater with Deeplearning4j's defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁸.
func NewAdam() Adam {
	return Adam{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, meant: true}
}

// States is 2: m and v.
func (u Adam) States() int { return 2 }

// InitialState is 0.
func (u Adam) InitialState(int) float64 { return 0 }

// Scalars are α·√(1−β₂ᵗ)/(1−β₁ᵗ).
func (u Adam) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha * math.Sqrt(1-power(u.Beta2, iteration)) / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u Adam) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	v := moving(b, u.Beta2, state[1], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, v), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(scalars[0], m), root), []*program.Value{m, v}
}

// Rate is α.
func (u Adam) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Adam) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdam())
	}
	return u
}

// Equal compares all settings.
func (u Adam) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Adam) Validate() error {
	return check("Adam", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"Adam", func() Updater { return NewAdam() }) }
