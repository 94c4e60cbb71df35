package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// AdaMax is Adam with the decayed maximum instead of the root of the averaged square (Kingma and Ba, 2015, section
// 7.1):
//
//	m' = β₁·m + (1−β₁)·g
//	u' = max(β₂·u, |g|) + 10⁻³²
//	update = α/(1−β₁ᵗ) · m'/u'
//
// State: m, u. (Deeplearning4j: AdaMax.) ε is in the file and has no effect, as in Deeplearning4j and the paper;
// PyTorch adds it to |g|.
type AdaMax struct {
	// LearningRate is α, 0.001 in NewAdaMax. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Beta1                float64  `dl4j:"beta1"`   // decay of m
	Beta2                float64  `dl4j:"beta2"`   // decay of u
	Epsilon              float64  `dl4j:"epsilon"` // no effect

	meant bool // see package literal
}

// NewAdaMax returns an updater with Deeplearning4j's defaults: α 0.001, β₁ 0.9, β₂ 0.999, ε 10⁻⁸.
func NewAdaMax() AdaMax {
	return AdaMax{LearningRate: 1e-3, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, meant: true}
}

// States is 2: m and u.
func (u AdaMax) States() int { return 2 }

// InitialState is 0.
func (u AdaMax) InitialState(int) float64 { return 0 }

// Scalars are α/(1−β₁ᵗ).
func (u AdaMax) Scalars(iteration, epoch int) []float64 {
	alpha := rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)
	return []float64{alpha / (1 - power(u.Beta1, iteration))}
}

// Emit is the equation.
func (u AdaMax) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	m := moving(b, u.Beta1, state[0], g)
	highest := b.Add(b.Max(b.Mul(b.Scalar(u.Beta2), state[1]), b.Unary(program.Abs, g)), b.Scalar(1e-32))
	return b.Div(b.Mul(scalars[0], m), highest), []*program.Value{m, highest}
}

// Rate is α.
func (u AdaMax) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u AdaMax) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdaMax())
	}
	return u
}

// Equal compares all settings.
func (u AdaMax) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u AdaMax) Validate() error {
	return check("AdaMax", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		decay("beta1", u.Beta1), decay("beta2", u.Beta2), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"AdaMax", func() Updater { return NewAdaMax() }) }
