package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// Nadam is Adam with Nesterov's momentum (Dozat, "Incorporating Nesterov momentum into Adam", 2016):
//
//	m' = β₁·m + (1−β₁)·g
//	v' = β₂·v + (1−β₂)·g²
//	update = α/(1−β₁ᵗ) · (β₁·m' + (1−β₁)·g)/(√v' + ε)
//
// State: m, v. (Deeplearning4j: Nadam.) As in Deeplearning4j, v is not corrected: the first steps are large, about
// α/√(1−β₂). The paper corrects v and has a schedule for β₁. So does PyTorch.
type Nadam struct {
	// LearningRate is α, 0.001 in NewNadam. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of v
	Epsilon              float64  `dl4j:"epsilon"` // beside √v

	meant bool // see package literal
}

// NewNadam returns an updater with Deeplearning4j's defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁸.
func NewNadam() Nadam {
	return Nadam{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, meant: true}
}

// States is 2: m and v.
func (u Nadam) States() int { return 2 }

// InitialState is 0.
func (u Nadam) InitialState(int) float64 { return 0 }

// Scalars are α/(1−β₁ᵗ).
func (u Nadam) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u Nadam) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	v := moving(b, u.Beta2, state[1], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, v), b.Scalar(u.Epsilon))
	ahead := moving(b, u.Beta1, m, g)
	return b.Div(b.Mul(scalars[0], ahead), root), []*program.Value{m, v}
}

// Rate is α.
func (u Nadam) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u Nadam) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewNadam())
	}
	return u
}

// Equal compares all settings.
func (u Nadam) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u Nadam) Validate() error {
	return check("Nadam", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"Nadam", func() Updater { return NewNadam() }) }
