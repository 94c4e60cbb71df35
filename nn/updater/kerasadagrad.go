package updater

import (
	"github.com/dl4go/dl4go/internal/literal"
	"github.com/dl4go/dl4go/program"
)

// KerasAdaGrad is [AdaGrad] as in Keras, with ε under the root:
//
//	h' = h + g²
//	update = α·g/√(h' + ε)
//
// State: h, initially Initial.
//
// Deeplearning4j differs: its AdaGrad adds ε to the root, and starts with 10⁻⁶.
type KerasAdaGrad struct {
	// LearningRate is α, 0.001 in NewKerasAdaGrad. It has no effect if LearningRateSchedule is set.
	LearningRate         float64  `dl4j:"learningRate"`
	LearningRateSchedule Schedule `dl4j:"learningRateSchedule,omitnull"`
	Initial              float64  `dl4j:"initial"` // h before the first step
	Epsilon              float64  `dl4j:"epsilon"`

	meant bool // see package literal
}

// NewKerasAdaGrad returns an updater with Keras' defaults: α 0.001, an Initial of 0.1, ε 10⁻⁷.
func NewKerasAdaGrad() KerasAdaGrad {
	return KerasAdaGrad{LearningRate: 1e-3, Initial: 0.1, Epsilon: 1e-7, meant: true}
}

// States is 1.
func (u KerasAdaGrad) States() int { return 1 }

// InitialState is Initial.
func (u KerasAdaGrad) InitialState(int) float64 { return u.Initial }

// Scalars are α.
func (u KerasAdaGrad) Scalars(iteration, epoch int) []float64 {
	return []float64{rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch)}
}

// Emit is the equation.
func (u KerasAdaGrad) Emit(
	b *program.Builder, g *program.Value, state, scalars []*program.Value,
) (*program.Value, []*program.Value) {
	h := b.Add(state[0], b.Unary(program.Square, g))
	root := b.Unary(program.Sqrt, b.Add(h, b.Scalar(u.Epsilon)))
	return b.Div(b.Mul(scalars[0], g), root), []*program.Value{h}
}

// Rate is α.
func (u KerasAdaGrad) Rate(iteration, epoch int) (float64, bool) {
	return rate(u.LearningRate, u.LearningRateSchedule, iteration, epoch), true
}

func (u KerasAdaGrad) complete() Updater {
	if !u.meant {
		literal.FillFrom(&u, NewKerasAdaGrad())
	}
	return u
}

// KeepsAtZero is true if ε is positive. Without it, 0/0 is possible.
func (u KerasAdaGrad) KeepsAtZero() bool { return u.Epsilon > 0 }

// Equal compares all settings.
func (u KerasAdaGrad) Equal(other Updater) bool { return equal(u, other) }

// Validate checks the settings' ranges.
func (u KerasAdaGrad) Validate() error {
	return check("KerasAdaGrad", scheduled("learningRate", u.LearningRate, u.LearningRateSchedule),
		positive("initial", u.Initial), positive("epsilon", u.Epsilon))
}

func init() { Classes.Register(ownPackage+"KerasAdaGrad", func() Updater { return NewKerasAdaGrad() }) }
