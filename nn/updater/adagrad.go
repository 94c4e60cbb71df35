package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// AdaGrad divides by the root of the sum of all squares so far (Duchi, Hazan and Singer, "Adaptive subgradient methods
// for online learning and stochastic optimization", 2011):
//
//	h' = h + g²
//	update = α·g/(√h' + ε)
//
// State: h, which starts at 10⁻⁶, whatever ε is. (Deeplearning4j: AdaGrad, where the start is also the default of ε,
// not ε itself.) PyTorch starts at 0, TensorFlow at 0.1.
type AdaGrad struct {
	// LearningRate is α, 0.1 in NewAdaGrad. It has no effect if LearningRateSchedule is set (Deeplearning4j then
	// usually has NaN here).
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Epsilon              float64  `dl4j:"epsilon"` // beside √h

	meant bool // see package literal
}

// NewAdaGrad returns an updater with Deeplearning4j's defaults: α 0.1, ε 10⁻⁶.
func NewAdaGrad() AdaGrad { return AdaGrad{LearningRate: 0.1, Epsilon: 1e-6, meant: true} }

// States is 1.
func (u AdaGrad) States() int { return 1 }

// InitialState is 10⁻⁶.
func (u AdaGrad) InitialState(int) float64 { return 1e-6 }

// Scalars are α.
func (u AdaGrad) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u AdaGrad) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	h := b.Add(state[0], b.Unary(program.Square, g))
	root := b.Add(b.Unary(program.Sqrt, h), b.Scalar(u.Epsilon))
	return b.Div(b.Mul(scalars[0], g), root), []*program.Value{h}
}

// Rate is α.
func (u AdaGrad) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u AdaGrad) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewAdaGrad())
	}
	return u
}

// KeepsAtZero is true if ε is positive. Without it, 0/0 is possible.
func (u AdaGrad) KeepsAtZero() bool { return u.Epsilon > 0 }

// Equal compares all settings.
func (u AdaGrad) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u AdaGrad) Validate() error {
	return check("AdaGrad", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(javaPackage+"AdaGrad", func() Updater { return NewAdaGrad() }) }
