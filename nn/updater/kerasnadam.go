package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// KerasNadam is [Nadam] as in the paper and in Keras: β₁ follows a schedule, and v is corrected:
//
//	m' = β₁·m + (1−β₁)·g
//	v' = β₂·v + (1−β₂)·g²
//	μₜ = β₁·(1 − 0.96ᵗ/2), P = μ₁·μ₂·…·μₜ
//	update = α · (μₜ₊₁/(1−P·μₜ₊₁)·m' + (1−μₜ)/(1−P)·g) / (√(v'/(1−β₂ᵗ)) + ε)
//
// State: m, v. P follows from t.
//
// Deeplearning4j differs: its Nadam has no schedule, and does not correct v. PyTorch's schedule is slower.
type KerasNadam struct {
	// LearningRate is α, 0.001 in NewKerasNadam. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside the root

	meant bool // see package literal
}

// NewKerasNadam returns an updater with Keras' defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁷.
func NewKerasNadam() KerasNadam {
	return KerasNadam{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-7, meant: true}
}

// States is 2: m and v.
func (u KerasNadam) States() int { return 2 }

// InitialState is 0.
func (u KerasNadam) InitialState(int) float64 { return 0 }

// leastProduct is where a product of momentums no longer changes 1 − P.
const leastProduct = 1e-30

// Scalars are the factors of m', g and v'.
func (u KerasNadam) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	momentum := func(t int) float64 { return u.Beta1 * (1 - 0.5*math.Pow(0.96, float64(t))) }
	product := 1.0
	for t := 1; t <= iteration+1 && product > leastProduct; t++ {
		product *= momentum(t)
	}
	now, next := momentum(iteration+1), momentum(iteration+2)
	return []float64{alpha * next / (1 - product*next), alpha * (1 - now) / (1 - product),
		1 / (1 - power(u.Beta2, iteration))}
}

// Emit is the equation.
func (u KerasNadam) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	v := moving(b, u.Beta2, state[1], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, b.Mul(scalars[2], v)), b.Scalar(u.Epsilon))
	ahead := b.Add(b.Mul(scalars[0], m), b.Mul(scalars[1], g))
	return b.Div(ahead, root), []*program.Value{m, v}
}

// Rate is α.
func (u KerasNadam) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u KerasNadam) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewKerasNadam())
	}
	return u
}

// Equal compares all settings.
func (u KerasNadam) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u KerasNadam) Validate() error {
	return check("KerasNadam", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"KerasNadam", func() Updater { return NewKerasNadam() }) }
