package updater

import (
	"math"

	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// AdaBelief is Adam with a different second state: the averaged square of the gradient's distance from its average
// (Zhuang and others, "AdaBelief optimizer: adapting stepsizes by the belief in observed gradients", 2020, algorithm
// 2):
//
//	m' = β₁·m + (1−β₁)·g
//	s' = β₂·s + (1−β₂)·(g − m')² + ε
//	update = α·√(1−β₂ᵗ)/(1−β₁ᵗ) · m'/(√s' + ε)
//
// State: m, s. (Deeplearning4j: AdaBelief, which fails when a network is made with it; here it works.) Both ε are the
// paper's; the second one is added to the uncorrected root, as in Adam.
type AdaBelief struct {
	// LearningRate is α, 0.001 in NewAdaBelief. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of s
	Epsilon              float64  `dl4j:"epsilon"` // in s and beside √s

	meant bool // see package literal
}

// NewAdaBelief returns an updater with Deeplearning4j's defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻¹⁴.
func NewAdaBelief() AdaBelief {
	return AdaBelief{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-14, meant: true}
}

// States is 2: m and s.
func (u AdaBelief) States() int { return 2 }

// InitialState is 0.
func (u AdaBelief) InitialState(int) float64 { return 0 }

// Scalars are α·√(1−β₂ᵗ)/(1−β₁ᵗ).
func (u AdaBelief) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha * math.Sqrt(1-power(u.Beta2, iteration)) / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u AdaBelief) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	s := b.Add(moving(b, u.Beta2, state[1], b.Unary(program.Square, b.Sub(g, m))), b.Scalar(u.Epsilon))
	root := b.Add(b.Unary(program.Sqrt, s), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(scalars[0], m), root), []*program.Value{m, s}
}

// Rate is α.
func (u AdaBelief) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u AdaBelief) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdaBelief())
	}
	return u
}

// Equal compares all settings.
func (u AdaBelief) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u AdaBelief) Validate() error {
	return check("AdaBelief", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"AdaBelief", func() Updater { return NewAdaBelief() }) }
